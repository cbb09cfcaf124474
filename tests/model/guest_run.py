"""Running the model's test guest: used by the tests and by bench.py."""

import contextlib
import os
import resource
import subprocess
import tempfile

BUILD = os.environ.get("BUILD", "build")
MODEL = os.path.join(BUILD, "model")
ARCHES = ("x86_64", "alpha")

QEMU = {
    "x86_64": ["qemu-system-x86_64", "-M", "q35,memory-backend=ram",
               "-device", "isa-debug-exit,iobase=0xf4,iosize=1"],
    "alpha": ["qemu-system-alpha", "-M", "clipper,memory-backend=ram"],
}
DETERMINISTIC = ["-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01,clock=vm"]


class Run:
    """What a guest printed, and what it cost."""

    def __init__(self, process, user_seconds):
        self.status = process.returncode
        self.text = process.stdout
        self.errors = process.stderr
        self.user_seconds = user_seconds
        self.values = {}
        for line in process.stdout.splitlines():
            key, _, value = line.strip().partition(" ")
            self.values[key] = int(value) if value.isdigit() else value


def passed(arch, run):
    """x86 leaves with (0x10 << 1) | 1; Alpha's QEMU has no exit device."""
    return run.status == 33 if arch == "x86_64" else "exit: ok" in run.text


def plugin_args(machine, ram, extra=""):
    so = os.path.join(MODEL, "ttmodel.so")
    return ["-plugin", f"{so},machine={machine},ram={ram}{extra}"]


def run_guest(arch, command, plugin=None, machine="tools/machines/ds10.conf", extra="", smp=1,
              flags=DETERMINISTIC, timeout=110):
    """plugin: None, "model", or "naive" with its arguments."""
    with contextlib.ExitStack() as stack:
        ram = stack.enter_context(tempfile.NamedTemporaryFile(prefix="ttram"))
        ram.truncate(128 << 20)
        args = QEMU[arch] + [
            "-m", "128M", "-smp", str(smp), "-kernel", os.path.join(MODEL, f"guest-{arch}.elf"),
            "-append", command, "-display", "none", "-serial", "stdio", "-monitor", "none",
            "-nodefaults", "-no-reboot",
            "-object", f"memory-backend-file,id=ram,size=128M,mem-path={ram.name},share=on",
        ] + list(flags)
        if plugin == "model":
            args += plugin_args(machine, ram.name, extra)
        elif plugin:
            args += ["-plugin", os.path.join(MODEL, plugin.replace("naive", "naive.so", 1))]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        process = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                 timeout=timeout, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    return Run(process, after - before)
