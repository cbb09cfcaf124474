"""QEMU's arguments for a boot with the cache model (tools/model) of a described machine.

The plugin shares the guest's RAM through a file, so that it can put counters into a page of it. Time
is virtual: -icount makes every run the same, instruction by instruction.
"""

import os
import re
import tempfile

from .errors import Usage, did_you_mean

PLUGIN = "build/model/ttmodel.so"
MACHINES = os.path.join(os.path.dirname(__file__), "..", "machines")

# Identical runs: virtual time does not follow the host's when a CPU idles, nor does the date.
ICOUNT = ["-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01,clock=vm"]

# Above 2 GiB the PC's RAM has a hole, and QEMU tells plugins offsets instead of addresses behind it.
MEM_MAX = 2 << 30

UNITS = {"": 1 << 20, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def names():
    return sorted(f[: -len(".conf")] for f in os.listdir(MACHINES) if f.endswith(".conf"))


def conf(name):
    return os.path.relpath(os.path.join(MACHINES, f"{name}.conf"))


def bytes_of(mem):
    """QEMU's -m SIZE in bytes; a bare number is MiB."""
    match = re.fullmatch(r"([0-9]+)([KMGT]?)", mem.upper())
    if not match or not int(match[1]):
        raise Usage(f"memory of {mem}: expected a number above 0, in MiB or with K, M, G or T")
    return int(match[1]) * UNITS[match[2]]


def check(name, mem):
    """Usage when there is no such machine, or it cannot have so much memory."""
    if name not in names():
        raise Usage(f"model {name}: no such machine; {did_you_mean(name, names())}there are: {', '.join(names())}")
    if not os.path.exists(PLUGIN):
        raise Usage(f"{PLUGIN} is missing; `make model` builds it")
    if bytes_of(mem) > MEM_MAX:
        raise Usage(f"memory of {mem}: with a cache model at most 2G")


def arguments(name, mem):
    """(arguments, the RAM's file: keep it until QEMU has ended). check() has found nothing."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    ram = tempfile.NamedTemporaryFile(prefix="tintype-ram-", dir=memory)
    argv = ["-object", f"memory-backend-file,id=ram,size={bytes_of(mem)},mem-path={ram.name},share=on"]
    argv += ["-machine", "memory-backend=ram"]
    argv += ["-plugin", f"{PLUGIN},machine={conf(name)},ram={ram.name}"]
    return argv + ICOUNT, ram
