#!/usr/bin/python3
"""How fast the model is, on four workloads: user time of QEMU without a plugin, with the model of
the DS10 (coherence and both clocks, misses not split by kind), and with the naive variant that
works like QEMU's own cache plugin; the same flags for all. Prints ratios beside their targets;
nothing here passes or fails, since the machine's other work is in every number.

The start of the guest is taken off. Each figure is the least of several runs, taken in turn, since
other load on the machine only ever adds; the slow naive variants run once."""

import argparse
import os
import re
import resource
import subprocess
import sys
from dataclasses import dataclass

from guest_run import BUILD, MODEL, passed, run_guest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools"))

from ttlib import model, qemu  # noqa: E402

MACHINE = "ds10"
KERNEL = os.path.join(BUILD, "x86_64", "tintype.elf")
LIMIT_S = 900
# naive without the instruction side: what it costs where it does no more than we
VARIANTS = ("none", "model", "naive", "naive,fetch=off")
ONCE = "alloc=va page_color=2048,1 reps=1 warmup=0 passes=1 misses=total"


@dataclass
class Workload:
    name: str
    run: object  # (variant, whole) -> (user seconds, standard error); whole False: only the start
    target: float  # model against none


def test_guest(command, megaloads):
    def run(variant, whole):
        plugin = None if variant == "none" else variant
        guest = run_guest("x86_64", f"{command} {megaloads if whole else 0}", plugin,
                          timeout=LIMIT_S)
        if not passed("x86_64", guest):
            sys.exit(f"bench: {variant} {command}: {guest.text}{guest.errors}")
        return guest.user_seconds, guest.errors
    return run


def tintype(words):
    def run(variant, whole):
        machine = qemu.Machine(kernel=KERNEL, cmdline=f"{words} {ONCE}" if whole else "run=list")
        argv, ram = model.arguments(MACHINE, machine.mem)
        plugin = argv.index("-plugin")
        if variant == "none":
            del argv[plugin:plugin + 2]
        elif variant != "model":
            argv[plugin + 1] = naive(variant)
        machine.extra = argv
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        process = subprocess.run(qemu.command(machine), stdin=subprocess.DEVNULL, text=True,
                                 capture_output=True, timeout=LIMIT_S, check=False)
        took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        ram.close()
        if process.returncode != qemu.STATUS_OK["x86_64"]:
            sys.exit(f"bench: {variant} {words}: {process.stdout[-1000:]}{process.stderr}")
        return took, process.stderr
    return run


def naive(variant):
    return os.path.join(MODEL, variant.replace("naive", "naive.so", 1))


def accesses(errors):
    """How many the naive variant says there were."""
    found = re.search(r"naive: accesses (\d+)", errors)
    return int(found[1]) if found else None


def measure(workload, repetitions):
    """({variant: least user seconds beyond the start}, accesses beyond the start)"""
    best, counted = {}, {}
    for repetition in range(repetitions):
        for variant in VARIANTS if repetition == 0 else ("none", "model"):
            for whole in (False, True):
                seconds, errors = workload.run(variant, whole)
                key = variant, whole
                best[key] = min(best.get(key, seconds), seconds)
                counted[whole] = accesses(errors) or counted.get(whole)
    return ({v: best[v, True] - best[v, False] for v in VARIANTS}, counted[True] - counted[False])


def report(workload, seconds, number):
    ours = seconds["model"]
    cells = [f"{workload.name:>14} {number / 1e6:6.0f}"]
    cells += [f"{seconds[v] / number * 1e9:6.1f}" for v in VARIANTS]
    cells += [f"{number / ours / 1e6:6.0f}", f"{ours / seconds['none']:6.2f}",
              f"<= {workload.target:.1f}", f"{seconds['naive'] / ours:6.2f} >= 3",
              f"{seconds['naive,fetch=off'] / ours:6.2f}"]
    print("  ".join(cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megaloads", type=int, default=100, help="of the first two workloads")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--only", help="one workload, by the first word of its name")
    options = parser.parse_args()
    workloads = [
        Workload("load loop", test_guest("load", options.megaloads), 3.0),
        Workload("stride", test_guest("stride", options.megaloads), 5.0),
        Workload("matmul n=500", tintype("run=matmul n=500"), 3.5),
        Workload("fft of 1M", tintype("run=fft points=1M"), 2.5),
    ]
    print("cache model: ns of user time per access; load loop: 2 MiB, 8 loads a line; stride: 64\n"
          "bytes over 16 MiB, all misses; naive is QEMU's own plugin's way, with and without its\n"
          "instruction side")
    print(f"{'':14}  {'M acc.':>6}  {'none':>6}  {'model':>6}  {'naive':>6}  {'no ins':>6}  "
          f"{'M/s':>6}  model/none      naive/model  no ins/model")
    for workload in workloads:
        if not options.only or workload.name.startswith(options.only):
            report(workload, *measure(workload, options.repetitions))


if __name__ == "__main__":
    main()
