"""Boots the kernel as a loader of our choice: shim.S, and information that Python made.

QEMU's -device loader puts each piece at its physical address before the machine starts; the kernel's
PVH note is changed to name the shim.
"""

import re
import struct
import subprocess
from dataclasses import dataclass

from paths import ROOT
from test_elf import KERNEL, LINK_BASE, moved, pvh_entry_offset, symbols_of

SHIM_AT = 0x2000000  # 32 MiB: no firmware uses it, no kernel here reaches it
INFO_AT = 0x2010000
MB2_MAGIC = 0x36D76289
EFI_TAG9 = 9

FREE, RESERVED = 1, 2


@dataclass(frozen=True)
class Module:
    at: int
    data: bytes
    label: str


def mb2_tag(kind, body):
    tag = struct.pack("<II", kind, 8 + len(body)) + body
    return tag + bytes(-len(tag) % 8)


def mb2_info(cmdline, ranges, modules=()):
    """ranges: (start, end, E820 type)."""
    tags = mb2_tag(1, cmdline.encode() + b"\0") + mb2_tag(2, b"shim\0")
    for m in modules:
        tags += mb2_tag(3, struct.pack("<II", m.at, m.at + len(m.data)) + m.label.encode() + b"\0")
    entries = b"".join(struct.pack("<QQII", start, end - start, kind, 0) for start, end, kind in ranges)
    tags += mb2_tag(6, struct.pack("<II", 24, 0) + entries) + mb2_tag(0, b"")
    return struct.pack("<II", 8 + len(tags), 0) + tags


def pvh_info(cmdline, ranges, modules=(), version=1):
    """The start info, and behind it what it points to."""
    at = INFO_AT + 64
    text = cmdline.encode() + b"\0"
    text += bytes(-len(text) % 8)
    labels = b"".join(m.label.encode() + b"\0" for m in modules)
    labels += bytes(-len(labels) % 8)
    module_list, label_at = b"", at + len(text)
    for m in modules:
        module_list += struct.pack("<QQQQ", m.at, len(m.data), label_at, 0)
        label_at += len(m.label) + 1
    list_at = at + len(text) + len(labels)
    map_at = list_at + len(module_list)
    entries = b"".join(struct.pack("<QQII", start, end - start, kind, 0) for start, end, kind in ranges)
    head = struct.pack("<IIIIQQQ", 0x336EC578, version, 0, len(modules), list_at, at, 0)
    # Version 0 ends here: what follows is somebody else's.
    head += struct.pack("<QII", map_at, len(ranges), 0) if version else b"\xee" * 16
    return head.ljust(64, b"\xee") + text + labels + module_list + entries


def entry(way, by=0):
    """Physical address of the kernel's entry for a way, in an image moved by so many bytes."""
    symbol = {"multiboot2": "multiboot2_entry", "efi": "efi_entry", "pvh": "pvh_entry"}[way]
    return symbols_of(KERNEL)[symbol] - LINK_BASE + by


def boot(folder, way, info, mode=32, modules=(), mem="256M", by=0, limit_s=90, extra=()):
    """One boot; QEMU's status and what the serial port said."""
    image = bytearray(moved(KERNEL.read_bytes(), by))
    field = pvh_entry_offset(image)
    struct.pack_into("<Q", image, field, SHIM_AT)
    kernel = folder / "kernel.elf"
    kernel.write_bytes(image)

    eax = 0 if way == "pvh" else MB2_MAGIC
    subprocess.run(["gcc", "-c", f"-DBASE={SHIM_AT:#x}", f"-DMODE={mode}", f"-DEAX={eax:#x}", f"-DEBX={INFO_AT:#x}",
                    f"-DTARGET={entry(way, by):#x}", "-o", folder / "shim.o", ROOT / "tests/system/shim.S"], check=True)
    subprocess.run(["objcopy", "-O", "binary", "-j", ".text", folder / "shim.o", folder / "shim"], check=True)
    (folder / "info").write_bytes(info)
    pieces = [(SHIM_AT, folder / "shim"), (INFO_AT, folder / "info")]
    for n, m in enumerate(modules):
        path = folder / f"module{n}"
        path.write_bytes(m.data)
        pieces.append((m.at, path))
    argv = ["qemu-system-x86_64", "-M", "q35", "-cpu", "max", "-m", mem, "-kernel", kernel, "-nodefaults",
            "-bios", "/usr/share/qemu/qboot.rom", "-display", "none", "-serial", "stdio", "-no-reboot",
            "-device", "isa-debug-exit,iobase=0xf4,iosize=1", *extra]
    for at, path in pieces:
        argv += ["-device", f"loader,file={path},addr={at:#x},force-raw=on"]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit_s,
                          errors="replace")
    return done.returncode, done.stdout + done.stderr


def memory_map(log):
    """(start, end, type) of the memory records."""
    found = []
    for ranges in re.findall(r'"what":"map".*?"ranges":\[(.*?)\]', log):
        for start, end, kind in re.findall(r'"([0-9a-f]+)-([0-9a-f]+) (\w+)"', ranges):
            found.append((int(start, 16), int(end, 16), kind))
    return found
