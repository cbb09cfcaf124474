#!/usr/bin/python3
"""From QEMU's start to the first experiment record, beside an empty kernel's first byte.

Wall time on a shared machine: only the ratio of two kernels, booted alternately by the same command
line but for the kernel, means anything. The log is polled: a reader that sleeps in read() is woken
for every byte, which costs QEMU several times what writing it costs (tt gulps for the same reason).
--wake measures with such a reader instead.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools"))

from ttlib import qemu  # noqa: E402

RUNS = 21
POLL_S = 0.0002
WORDS = "run=bandwidth alloc=buddy,random,va page_color=2048,1 age=4:95:50"  # as `make qemu`
EMPTY = b"E\n"  # what the empty kernels write
FIRST = b'{"tt":"experiment"'


def first_output(argv, mark, wake):
    """Seconds from QEMU's start until mark stands in its output."""
    start = time.monotonic()
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        os.set_blocking(process.stdout.fileno(), wake)
        seen = b""
        while mark not in seen:
            if not wake:
                time.sleep(POLL_S)
            try:
                data = os.read(process.stdout.fileno(), 65536)
            except BlockingIOError:
                continue
            if not data:
                sys.exit(f"boots: {argv[0]} ended before it printed {mark!r}")
            seen += data
        took = time.monotonic() - start
        process.kill()
    return took


def boots(build, arch, runs, wake):
    ours = f"{build}/{arch}/tintype.elf"
    bare = f"{build}/bench/empty_{arch}.elf"
    kernels = {bare: EMPTY, ours: FIRST}
    times = {kernel: [] for kernel in kernels}
    for _ in range(runs):
        for kernel, mark in kernels.items():
            argv = qemu.command(qemu.Machine(arch=arch, kernel=kernel, cmdline=WORDS))
            times[kernel].append(first_output(argv, mark, wake))
    a, b = (statistics.median(times[kernel]) for kernel in kernels)
    ratio = statistics.median(y / x for x, y in zip(times[bare], times[ours]))
    print(f"{arch}: median of {runs} boots: empty kernel's first byte {1000 * a:.1f} ms, first")
    print(f"experiment record {1000 * b:.1f} ms, ratio {b / a:.2f}; median of the pairs' {ratio:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--arch", nargs="*", default=qemu.ARCHES)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--wake", action="store_true", help="read as bytes come")
    args = parser.parse_args()
    for arch in args.arch:
        boots(args.build, arch, args.runs, args.wake)


main()
