#!/usr/bin/python3
"""make bench: what Tintype costs. Counts where counting is possible, ratios where it is not.

Instructions are counted by QEMU under -icount shift=0, where a tick of the TSC is an instruction, so
they are the same in every run and on every host. Boot times are boots.py's.
"""

import argparse
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools"))

from ttlib import qemu  # noqa: E402
from ttlib.run import boot, judge  # noqa: E402

ICOUNT = ["-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01,clock=vm"]
LIMIT_S = 300


def records(kernel, cmdline, mem, extra=()):
    machine = qemu.Machine(kernel=kernel, cmdline=cmdline, mem=mem, extra=list(extra))
    log, status, late = boot(machine, LIMIT_S)
    reasons = ["time limit reached"] if late else judge(log, "x86_64", status)
    if reasons:
        sys.exit(f"bench: {cmdline} at {mem}: " + "; ".join(reasons))
    return log.boots[-1]


def pairs(kernel):
    print("instructions of one alloc and free (QEMU -icount; CHECK=0; 512 colours)")
    print(f"{'memory':>8} {'policy':>12} {'metric':>7} {'order 0':>9} {'order 3':>9} {'order 9':>9}")
    for mem, subject in (("64M", "32M"), ("4G", "3G")):
        words = f"run=pair alloc=all page_color=2048,1 age=off reps=2 subject={subject}"
        log = records(kernel, words, mem, ICOUNT)
        cells = {}
        for r in log.of("summary"):
            f = r.fields
            cells[f["level"], f["metric"], f["x"]] = f.get("median")
        for metric in ("pair", "split"):
            for level in dict.fromkeys(key[0] for key in cells):
                row = [cells.get((level, metric, x)) for x in (0, 3, 9)]
                text = " ".join(f"{v:9.0f}" if v is not None else f"{'-':>9}" for v in row)
                print(f"{mem:>8} {level.removeprefix('alloc='):>12} {metric:>7} {text}")
    print("for comparison, counted the same way: Linux 6.1 685, 873, 18740; kvm-unit-tests 321, 397, 6449")


def size(kernel):
    stripped = kernel + ".stripped"
    subprocess.run(["strip", "-o", stripped, kernel], check=True)
    print(f"stripped kernel: {os.path.getsize(stripped) / 1024:.0f} KiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    kernel = parser.parse_args().build + "/x86_64/tintype.elf"
    pairs(kernel)
    size(kernel)


main()
