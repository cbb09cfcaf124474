"""One boot in QEMU for a test: boot("run=list") -> Boot, the same boot only once per session.

The kernel is build/ARCH/tintype.elf (ARCH from the environment, x86_64 if it is not there), or what
KERNEL in the environment names; make has built it before. QEMU is started by the code behind `tt run`, with a time limit.
"""

import functools
import io
import os
from dataclasses import dataclass

from paths import ROOT

from ttlib import ktap, qemu, run, series

ARCH = os.environ.get("ARCH", "x86_64")
KERNEL = str(ROOT / os.environ.get("KERNEL", f"build/{ARCH}/tintype.elf"))

# QEMU's status when the kernel ends not ok.
NOT_OK = {"x86_64": 35, "alpha": 1}[ARCH]

# A quick experiment: small cache, small subject, few blocks. About 0.3 s.
QUICK = "run=bandwidth page_color=256,1 subject=16M reps=2 warmup=0 passes=1"

# The longest boot here takes about 5 s on an idle machine; with every check on, 20 times as long.
LIMIT_S = 600 if "-check" in KERNEL else 90


@dataclass
class Boot:
    log: object  # ttlib.log.Log
    status: int  # QEMU's
    reasons: list  # why this is no success; [] when it is one
    data: bytes  # the serial output, byte by byte

    @property
    def last(self):
        return self.log.boots[-1]

    @property
    def lines(self):
        return self.data.decode("latin-1").replace("\r\n", "\n").split("\n")

    @property
    def text(self):
        return "\n".join(self.lines)

    @property
    def ok(self):
        return not self.reasons

    @property
    def verdicts(self):
        return {v.name: v for v in ktap.Verdicts(self.lines).all}

    def of(self, kind, **members):
        return [r.fields for r in self.last.of(kind, **members)]

    def only(self, kind, **members):
        (found,) = self.of(kind, **members)
        return found

    @property
    def experiments(self):
        return series.experiments(self.last)

    def counts(self):
        """{(experiment, level, metric, x, block): value} of what the kernel counted exactly."""
        return {
            (f["exp"], f["level"], f["metric"], f.get("x"), f["block"]): f["value"]
            for f in self.of("sample", source="count")
        }


def machine(cmdline="", mem="256M", smp=1, extra=(), serial=True):
    return qemu.Machine(
        arch=ARCH, kernel=KERNEL, cmdline=cmdline, mem=mem, smp=smp, extra=list(extra), serial=serial
    )


def boot_machine(which, limit_s=LIMIT_S):
    echo = io.BytesIO()
    log, status, late = run.boot(which, limit_s, echo=echo)
    assert not late, f"not over after {limit_s} s:\n{echo.getvalue().decode('latin-1')[-2000:]}"
    return Boot(log, status, run.judge(log, ARCH, status), echo.getvalue())


@functools.lru_cache(maxsize=None)
def boot(cmdline="", mem="256M", smp=1, extra=()):
    return boot_machine(machine(cmdline, mem, smp, extra))


def good(*args, **kwargs):
    """boot(), and it was a success."""
    done = boot(*args, **kwargs)
    assert done.ok, f"{done.reasons}\n{done.text[-3000:]}"
    return done
