#!/usr/bin/python3
"""How fast the model is: guest time without a plugin, with the model, and with the naive variant
that works like QEMU's own cache plugin. Prints ratios beside their targets; nothing here passes or
fails, since the machine's other work is in every number.

User time of QEMU, start of the guest subtracted; the best of several runs, taken in turn, since
other load on the machine only ever adds."""

import argparse
import sys

from guest_run import ARCHES, passed, run_guest

TARGETS = {"load": 3.0, "stride": 5.0}
VARIANTS = ("none", "model", "naive")


def measure(arch, megaloads, repetitions):
    best = {}
    for _ in range(repetitions):
        for variant in VARIANTS:
            for command in ("load", "stride"):
                for count in (0, megaloads if variant != "naive" else megaloads // 4):
                    plugin = None if variant == "none" else variant
                    run = run_guest(arch, f"{command} {count}", plugin)
                    if not passed(arch, run):
                        sys.exit(f"{arch} {variant} {command}: {run.text}{run.errors}")
                    key = variant, command, count
                    best[key] = min(best.get(key, run.user_seconds), run.user_seconds)
    result = {}
    for variant, command, count in best:
        if count:
            seconds = best[variant, command, count] - best[variant, command, 0]
            result[variant, command] = seconds / count * 1000  # ns per access
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", choices=ARCHES, default="x86_64")
    parser.add_argument("--megaloads", type=int, default=200)
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    ns = measure(options.arch, options.megaloads, options.repetitions)
    for command, target in TARGETS.items():
        none, model, naive = (ns[variant, command] for variant in VARIANTS)
        print(f"{options.arch} {command}: none {none:.2f} ns, model {model:.2f} ns "
              f"({1000 / model:.0f} M accesses/s), naive {naive:.2f} ns per access; "
              f"model/none {model / none:.2f} (target {target:.0f}), "
              f"naive/model {naive / model:.2f} (target 3)")


if __name__ == "__main__":
    main()
