"""Each fuzz target, on its corpus, for a minute."""

import os
import re
import subprocess

import pytest
from paths import ROOT

SECONDS = 60
TARGETS = ("elf", "multiboot2", "pvh", "words")


def fuzz(target, found, *options):
    found.mkdir(exist_ok=True)
    binary = ROOT / "build" / "fuzz" / f"fuzz_{target}"
    corpus = ROOT / "tests" / "data" / "boot" / target
    argv = [binary, *options, f"-artifact_prefix={found}/", found, corpus]
    return subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=SECONDS * 5)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_nothing_breaks_in_a_minute(target, tmp_path):
    done = fuzz(target, tmp_path / "found", f"-max_total_time={SECONDS}")
    assert done.returncode == 0, done.stderr[-4000:]
    runs = int(re.search(r"Done (\d+) runs", done.stderr)[1])
    assert runs > 10_000, "too slow to have tried anything"


@pytest.mark.long
def test_a_breach_would_be_seen(tmp_path):
    """A map with a module in it that the kernel would hand out as free: the check itself, broken."""
    source = tmp_path / "broken.c"
    memmap = (ROOT / "kernel/mm/memmap.c").read_text()
    assert memmap.count("outwards(bi->module[i].at, limit), MEMMAP_KERNEL") == 1
    source.write_text(memmap.replace("outwards(bi->module[i].at, limit), MEMMAP_KERNEL",
                                     "outwards(bi->module[i].at, limit), MEM_RAM"))
    binary = tmp_path / "fuzz"
    flags = "-std=gnu11 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -DCHECK=1".split()
    folders = [f"-I{ROOT / f}" for f in ("kernel", "tests/unit/arch/include", "tests/fuzz", "boot/x86_64")]
    sources = ("tests/fuzz/fuzz_multiboot2.c tests/fuzz/fuzz.c tests/fuzz/fuzz_info.c boot/x86_64/boot_copy.c "
               "boot/x86_64/multiboot2.c boot/x86_64/multiboot2_map.c kernel/core/kprintf.c").split()
    subprocess.run(["clang", *flags, *folders, "-o", binary, source, *(ROOT / s for s in sources)], check=True)
    corpus = ROOT / "tests/data/boot/multiboot2"
    done = subprocess.run([binary, "-runs=0", *(corpus / name for name in sorted(os.listdir(corpus)))],
                          capture_output=True, text=True, errors="replace", cwd=tmp_path, timeout=60)
    assert done.returncode != 0
    assert "does not hold" in done.stderr
