"""QEMU's command line for a boot, and what its exit status means.

Only TCG: a hypervisor that hides the caches has nothing to say about colours, and TCG is there
everywhere. Nothing is added that the guest does not need, so that boots are quick and alike.
"""

import os
from dataclasses import dataclass, field

from . import media, model
from .errors import Usage

ARCHES = ("x86_64", "alpha")
BOOTS = ("kernel", *media.WAYS)

# QEMU copies 256 bytes of it for Alpha and cuts silently: 255 would look as if they had been more.
CMDLINE_MAX = {"x86_64": 2047, "alpha": 254}

# isa-debug-exit makes (value << 1) | 1 of what the kernel writes: 16 for ok, 17 for not ok.
STATUS_OK = {"x86_64": 33, "alpha": 0}

QBOOT = "/usr/share/qemu/qboot.rom"


@dataclass
class Machine:
    arch: str = "x86_64"
    boot: str = "kernel"
    kernel: str = ""
    cmdline: str = ""
    mem: str = "256M"
    smp: int = 1
    model: str = ""  # name of a machine file: run under the cache model
    ram: object = None  # the file behind its RAM, deleted with this object
    medium: object = None  # the folder with what it boots from, likewise
    serial: bool = True
    gdb: str = ""  # path of the socket where gdb may connect; the machine starts stopped
    extra: list = field(default_factory=list)


def with_exit(cmdline):
    """The kernel halts by default: under QEMU it has to leave, or every run ends at its limit."""
    for word in cmdline.split():
        if word.startswith("exit=") and word != "exit=qemu":
            raise Usage(f"{word}: tt run needs exit=qemu, which it adds by itself")
    return cmdline if "exit=qemu" in cmdline.split() else f"{cmdline} exit=qemu".strip()


def check(machine):
    """Usage when this machine cannot be built; what can be said without making any file."""
    if os.path.isdir(machine.kernel):
        raise Usage(f"{machine.kernel}: a directory, not a kernel")
    if not os.path.exists(machine.kernel):
        raise Usage(f"{machine.kernel or '--kernel'}: no such kernel; `make` builds one (ARCH=, CHECK=)")
    length, longest = len(with_exit(machine.cmdline)), CMDLINE_MAX[machine.arch]
    if length > longest:
        raise Usage(f"the command line has {length} bytes; {machine.arch} takes {longest}")
    if machine.boot != "kernel" and machine.arch != "x86_64":
        raise Usage(f"boot {machine.boot} is for x86_64 only")
    model.bytes_of(machine.mem)
    if machine.model:
        model.check(machine.model, machine.mem)


def command(machine):
    """The argument vector."""
    check(machine)
    cmdline = with_exit(machine.cmdline)
    argv = [f"qemu-system-{machine.arch}"]
    argv += _x86_64(machine.boot) if machine.arch == "x86_64" else _alpha()
    if machine.model:
        more, machine.ram = model.arguments(machine.model, machine.mem)
        argv += more
    argv += ["-m", machine.mem, "-smp", str(machine.smp)]
    if machine.boot == "kernel":
        argv += ["-kernel", machine.kernel, "-append", cmdline]
    else:
        more, machine.medium = media.arguments(machine.boot, machine.kernel, cmdline)
        argv += more
    argv += ["-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none"]
    argv += ["-serial", "stdio" if machine.serial else "none"]
    argv += ["-no-reboot"]  # a triple fault ends the run instead of repeating it
    if machine.gdb:
        argv += ["-S", "-chardev", f"socket,id=gdb,path={machine.gdb},server=on,wait=off"]
        argv += ["-gdb", "chardev:gdb"]
    return argv + machine.extra


def _x86_64(boot):
    argv = ["-M", "q35", "-accel", "tcg", "-cpu", "max"]
    # qboot goes straight to the PVH entry: 0.1 s less than SeaBIOS.
    argv += ["-bios", QBOOT] if boot == "kernel" and os.path.exists(QBOOT) else []
    return argv + ["-device", "isa-debug-exit,iobase=0xf4,iosize=1"]


def _alpha():
    # No isa-debug-exit there: halting is status 0, and pvpanic turns a failure into 1.
    return ["-M", "clipper", "-device", "pvpanic-pci", "-action", "panic=exit-failure"]


def explain(arch, status):
    """Why this exit status of QEMU is no success; None when it is one."""
    if status == STATUS_OK[arch]:
        return None
    if status < 0:
        return f"QEMU was killed by signal {-status}"
    if arch == "x86_64" and status == 35:
        return "the kernel ended not ok (QEMU's status 35)"
    if arch == "alpha" and status == 1:
        return "the kernel ended not ok, or QEMU did not start (QEMU's status 1)"
    if status == 1:
        return "QEMU did not start (status 1; its message is above)"
    if status == 0:
        return "the machine was reset or switched off before the kernel ended (QEMU's status 0)"
    return f"QEMU's status is {status}, which no ending of the kernel has"
