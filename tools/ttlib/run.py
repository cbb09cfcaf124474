"""tt run: one boot in QEMU, its log streamed and kept, and a verdict that can be trusted.

Success means all of: QEMU's status is the kernel's ok, the log has its end record and that says
ok, and no record is lost or damaged. Anything else is status 1 with the reason. What stands behind --
goes to QEMU as it is.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
import time

from . import arguments, model, qemu
from .errors import Finding, Usage
from .log import Log

NAME = "run"
HELP = "boot a kernel in QEMU and judge its log"

# QEMU writes a guest's serial output byte by byte, and a byte that wakes a reader costs it several
# times what one costs that finds the reader away. 2 ms of it are some KiB; a pipe holds 64.
GULP_S = 0.002
# The longest preset, seed002, takes 10 to 15 minutes of a processor's time.
LIMIT_S = 3600
KILL_WAIT_S = 5  # QEMU ends within milliseconds of SIGTERM, unless the host is overloaded


def add_arguments(parser):
    parser.add_argument("--arch", choices=qemu.ARCHES, default="x86_64", help="architecture; default: %(default)s")
    parser.add_argument("--boot", choices=qemu.BOOTS, default="kernel", help="way to boot; default: %(default)s (no firmware)")
    parser.add_argument("--kernel", metavar="FILE", help="the ELF file; default: build/ARCH/tintype.elf")
    parser.add_argument("--cmdline", default="", metavar="WORDS", help="the kernel's command line; exit=qemu is added")
    parser.add_argument("--model", default="", metavar="NAME", help=f"cache model: {', '.join(model.names())}").words = model.names()
    parser.add_argument("--mem", default="256M", metavar="SIZE", help="with K, M, G or T; default: %(default)s")
    parser.add_argument("--smp", type=arguments.count, default=1, metavar="N", help="processors; default: %(default)s")
    parser.add_argument("--timeout", type=arguments.seconds, default=LIMIT_S, metavar="S", help="wall time, seconds; default: %(default)s")
    parser.add_argument("--log", metavar="FILE", help="keep the serial output, byte by byte")
    parser.add_argument("--gdb", action="store_true", help="stop at kernel_main, under gdb")


def run(args):
    machine = qemu.Machine(
        arch=args.arch,
        boot=args.boot,
        kernel=args.kernel or f"build/{args.arch}/tintype.elf",
        cmdline=args.cmdline,
        model=args.model,
        mem=args.mem,
        smp=args.smp,
        extra=args.qemu_arguments,
    )
    if args.gdb:
        from .gdb import debug

        return debug(machine)
    log, status, late = boot(machine, args.timeout, args.log, Screen())
    reasons = judge(log, args.arch, status)
    if late:
        reasons = [f"time limit of {args.timeout:g} s reached, QEMU ended"] + reasons[1:]
    if reasons:
        raise Finding("\n".join(reasons))
    return 0


class Screen:
    """Standard output for a person or a pipe: without the serial line's carriage returns."""

    def write(self, data):
        sys.stdout.buffer.write(data.replace(b"\r", b""))

    def flush(self):
        sys.stdout.buffer.flush()


def judge(log, arch, status):
    """Reasons why a boot was no success; QEMU's status first."""
    reasons = [qemu.explain(arch, status)] + log.complaints()
    if len(log.boots) > 1:
        reasons.append(f"{len(log.boots)} boots in one run")
    end = log.boots[-1].end if log.boots else None
    if end and end.get("verdict") == "panic":
        reasons.append(f"verdict panic: {end.get('reason', 'no reason given')}")
    elif end and end.get("verdict") != "ok":
        reasons.append(f"verdict {end.get('verdict')}: {end.get('failed')} failed")
    return [r for r in reasons if r]


def die_with_parent():
    """In the child: a killed tt leaves no QEMU behind."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start(machine, **popen):
    argv = qemu.command(machine)
    try:
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent, **popen)
    except FileNotFoundError as error:
        group = "build" if machine.arch == "x86_64" else machine.arch
        raise Usage(f"{argv[0]} is not installed: tools/setup.sh {group}") from error


def stop(process):
    process.terminate()
    try:
        process.wait(KILL_WAIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def boot(machine, limit_s, log_path=None, echo=None):
    """Runs the machine to its end. Returns (Log, QEMU's status, True if the time limit ended it)."""
    log = Log()
    late = False
    keep = None
    if log_path:
        try:
            os.makedirs(os.path.dirname(log_path) or ".", exist_ok=True)
            keep = open(log_path, "wb", buffering=0)
        except OSError as error:
            raise Usage(f"{log_path}: {error.strerror}") from error
    process = start(machine, stdout=subprocess.PIPE)
    # SIGTERM (make, CI, timeout) takes the same way out as Ctrl-C: QEMU must not stay.
    previous = signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    deadline = time.monotonic() + limit_s
    try:
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                late = True
                break
            if not select.select([process.stdout], [], [], left)[0]:
                continue
            time.sleep(GULP_S)
            data = os.read(process.stdout.fileno(), 65536)
            if not data:
                break
            log.feed(data)
            if keep:
                keep.write(data)
            if echo:
                echo.write(data)
                echo.flush()
        if not late:
            process.wait(max(KILL_WAIT_S, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        late = True
    finally:
        stop(process)
        process.stdout.close()
        signal.signal(signal.SIGTERM, previous)
        if keep:
            keep.close()
    log.close()
    return log, process.returncode, late
