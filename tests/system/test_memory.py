"""Boots over all sizes and shapes of memory that QEMU can give, and over holes of our own."""

import re

import pytest
from boots import ARCH, NOT_OK, QUICK, boot, good

PAGE = {"x86_64": 4096, "alpha": 8192}[ARCH]
UNIT = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def size(text):
    return int(text[:-1]) * UNIT[text[-1]]


def ranges(done):
    """[(start, end, type)] in order of the log."""
    found = []
    for f in done.of("memory", what="map"):
        for text in f["ranges"]:
            at, kind = text.split(" ", 1)
            start, end = at.split("-")
            found.append((int(start, 16), int(end, 16), kind))
    return found


def usable(done):
    """Bytes that are RAM: free for subjects, or the kernel's own."""
    return sum(end - start for start, end, kind in ranges(done) if kind in ("ram", "kernel"))


@pytest.mark.parametrize("mem", ["64M", "96M", "128M", "255M", "256M", "512M", "1G", "2G", "3G", "5G"])
def test_boots_and_uses_all_memory(mem):
    done = good(QUICK, mem=mem)
    # firmware keeps parts of the first MiB, and up to 128 KiB of tables at the end
    assert size(mem) - (1 << 20) - (128 << 10) <= usable(done) <= size(mem)
    assert done.only("memory", what="total")["page_bytes"] == PAGE


@pytest.mark.parametrize("mem", ["64M", "256M", "5G"])
def test_the_map_is_sorted_disjoint_and_whole_pages(mem):
    found = ranges(good(QUICK, mem=mem))
    assert found == sorted(found)
    for (_, end, kind), (start, _, next_kind) in zip(found, found[1:]):
        assert end <= start
        assert end < start or kind != next_kind
    assert all(start % PAGE == 0 and end % PAGE == 0 and start < end for start, end, _ in found)
    total = sum(end - start for start, end, kind in found if kind == "ram")
    assert total == good(QUICK, mem=mem).only("memory", what="total")["ram_pages"] * PAGE


def test_memory_above_4g_is_there():
    assert any(end > 1 << 32 and kind == "ram" for _, end, kind in ranges(good(QUICK, mem="5G")))


@pytest.mark.skipif(ARCH != "x86_64", reason="an option of QEMU's PC machines")
def test_discontiguous_memory():
    done = good(QUICK, mem="512M", extra=("-M", "q35,max-ram-below-4g=128M"))
    ram = [r for r in ranges(done) if r[2] == "ram"]
    assert max(end for start, end, _ in ram if start < 1 << 32) <= 128 << 20
    assert any(start >= 1 << 32 for start, _, _ in ram)


def test_mem_limits_ram_from_the_bottom():
    done = good(f"{QUICK} mem=100M", mem="256M")
    # the kernel's image (under 2 MiB) is the kernel's already and not counted
    assert 99 << 20 <= usable(done) <= 102 << 20
    assert max(end for _, end, kind in ranges(done) if kind == "ram") <= 103 << 20


def test_a_hole_is_left_alone_and_costs_what_it_covers():
    plain, holed = good(QUICK), good(f"{QUICK} hole=16M@128M")
    start, end = 128 << 20, 144 << 20
    assert not [r for r in ranges(holed) if r[2] in ("ram", "kernel") and r[0] < end and r[1] > start]
    assert usable(plain) - usable(holed) == 16 << 20


def test_many_holes():
    count = {"x86_64": 20, "alpha": 8}[ARCH]  # as many as its command line holds
    holes = " ".join(f"hole={PAGE}@{(64 << 20) + i * 2 * PAGE}" for i in range(count))
    plain, holed = good(QUICK), good(f"{QUICK} {holes}")
    assert usable(plain) - usable(holed) == count * PAGE
    assert len([r for r in ranges(holed) if r[2] == "ram"]) >= count


def test_unaligned_hole_takes_whole_pages():
    plain, holed = good(QUICK), good(f"{QUICK} hole=1@0x8000800")
    assert usable(plain) - usable(holed) == PAGE


def test_a_hole_where_no_memory_is_changes_nothing():
    plain, holed = ranges(good(QUICK)), ranges(good(f"{QUICK} hole=1G@100G"))
    assert [r for r in holed if r[0] < 100 << 30] == [r for r in plain if r[0] < 100 << 30]


def test_an_experiment_runs_across_holes():
    """The subject is larger than each piece between the holes."""
    holes = " ".join(f"hole=1M@{m}M" for m in range(48, 128, 9))
    done = good(f"{QUICK} subject=64M {holes}", mem="128M")
    assert done.experiments["bandwidth"].plan["subject_ranges"] > 4


@pytest.mark.parametrize("words", ["mem=16K", "mem=2M", "hole=1T@0"])
def test_too_little_memory_is_a_clear_error(words):
    done = boot(f"{QUICK} {words}")
    assert done.status == NOT_OK
    assert done.last.end["verdict"] == "fail"
    (verdict,) = done.verdicts.values()
    assert (verdict.name, verdict.ok) == ("memory", False)
    assert "memory" in verdict.reason or "RAM" in verdict.reason
