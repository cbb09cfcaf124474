"""Loaders that QEMU's firmwares are not: their paging, their map, their modules, their versions."""

import random
import zlib

import pytest

import boot_shim
from boot_shim import FREE, RESERVED, Module
from boots import ARCH
from test_elf import KERNEL, LINK_BASE, segments_of, symbols_of

pytestmark = pytest.mark.skipif(ARCH != "x86_64", reason="the ways to boot x86_64")

MIB = 1 << 20
RANGES = [(0, 0x9F000, FREE), (0x9F000, MIB, RESERVED), (MIB, 240 * MIB, FREE)]


def payload(seed, size):
    return random.Random(seed).randbytes(size)


def module(at, data):
    return Module(at, data, f"crc={zlib.crc32(data):08x}")


def image_end():
    return symbols_of(KERNEL)["__image_end"] - LINK_BASE


@pytest.mark.parametrize("by", [0, 0x3C00000])
@pytest.mark.parametrize("way, mode", [("multiboot2", 32), ("efi", 48), ("efi", 57), ("pvh", 32)])
def test_kernel_works_whatever_it_was_entered_with(tmp_path, way, mode, by):
    """57: five-level page tables on, which only the way through 32 bits can turn off."""
    make = boot_shim.pvh_info if way == "pvh" else boot_shim.mb2_info
    status, log = boot_shim.boot(tmp_path, way, make("run=selftest exit=qemu", RANGES), mode=mode, by=by)
    assert status == 33, log
    assert f'"way":"{way}"' in log
    start = segments_of(KERNEL.read_bytes())[0].paddr + by
    assert any(s == start and kind == "kernel" for s, _, kind in boot_shim.memory_map(log)), log


def places():
    after = -(-image_end() // 4096) * 4096
    return {
        "below 1 MiB": (0x60123, 5000),
        "up to the image": (0x1F0000, 0x10000),
        "behind the image": (after, 0x3456),
        "across 16 MiB": (0xFFF800, 0x1000),
        "at the end of RAM": (240 * MIB - 4096, 4096),
    }


@pytest.mark.parametrize("way", ["multiboot2", "efi"])
def test_modules_survive_where_the_loader_put_them(tmp_path, way):
    modules = [module(at, payload(at, size)) for at, size in places().values()]
    # Whatever is free is the subject's, and in checked builds filled with junk: run in it first.
    words = "run=bandwidth,selftest reps=1 warmup=0 alloc=random page_color=64,2 exit=qemu"
    info = boot_shim.mb2_info(words, RANGES, modules)
    status, log = boot_shim.boot(tmp_path, way, info, mode=48 if way == "efi" else 32, modules=modules)
    assert status == 33, log
    assert "ok" in [line.split()[0] for line in log.splitlines() if line.endswith(" modules")]
    kernels = [(s, e) for s, e, kind in boot_shim.memory_map(log) if kind == "kernel"]
    for m in modules:
        assert any(s <= m.at and m.at + len(m.data) <= e for s, e in kernels), f"{m.at:#x} is not reserved"


def test_a_module_above_4_gib_survives(tmp_path):
    m = module(0x140000000, payload(1, 100000))
    ranges = [*RANGES[:2], (MIB, 2048 * MIB, FREE), (4096 * MIB, 6144 * MIB, FREE)]
    info = boot_shim.pvh_info("run=selftest exit=qemu", ranges, [m])
    status, log = boot_shim.boot(tmp_path, "pvh", info, modules=[m], mem="4G")
    assert status == 33, log
    assert f"# module 0: {m.at:#x} to {m.at + len(m.data):#x}, {m.label.replace('=', ' ')}" in log
    assert "ok" in [line.split()[0] for line in log.splitlines() if line.endswith(" modules")]


def test_a_changed_module_is_noticed(tmp_path):
    m = module(0x3000000, payload(1, 100000))
    info = boot_shim.mb2_info("run=selftest exit=qemu", RANGES, [m])
    changed = Module(m.at, m.data[:-1] + bytes([m.data[-1] ^ 1]), m.label)
    status, log = boot_shim.boot(tmp_path, "multiboot2", info, modules=[changed])
    assert status == 35
    assert "its label says" in log


@pytest.mark.parametrize("at, why", [(0x200000, "overlaps the kernel"), (0x1FF000, "overlaps the kernel")])
def test_a_module_over_the_kernel_is_refused(tmp_path, at, why):
    m = Module(at, bytes(8192), "x")
    status, log = boot_shim.boot(tmp_path, "multiboot2", boot_shim.mb2_info("exit=qemu", RANGES, [m]))
    assert status == 35
    assert why in log and "not ok 1 boot" in log


def test_pvh_version_0_is_refused_in_words(tmp_path):
    status, log = boot_shim.boot(tmp_path, "pvh", boot_shim.pvh_info("run=list exit=qemu", RANGES, version=0))
    assert status == 35
    assert "version 0 has no memory map" in log


def test_damaged_information_is_refused_in_words(tmp_path):
    info = bytearray(boot_shim.mb2_info("exit=qemu", RANGES))
    loader_tag = 8 + 24  # behind the head and the command line, which says how to leave
    assert info[loader_tag] == 2
    info[loader_tag + 4] = 4
    status, log = boot_shim.boot(tmp_path, "multiboot2", bytes(info))
    assert status == 35
    assert "multiboot2: tag 2 at byte 32 says 4 bytes: the list would loop" in log


def test_a_map_without_memory_is_an_error(tmp_path):
    info = boot_shim.mb2_info("exit=qemu", [(0, 240 * MIB, RESERVED)])
    status, log = boot_shim.boot(tmp_path, "multiboot2", info)
    assert status == 35
    assert "none of them leaves usable RAM" in log
