"""Other processors and firmware than the usual one, and gdb."""

import os
import subprocess

import pytest
from boots import ARCH, KERNEL, QUICK, good
from paths import ROOT

pytestmark = pytest.mark.skipif(ARCH != "x86_64", reason="models of x86 processors")


@pytest.mark.parametrize("cpu", ["qemu64", "core2duo", "Nehalem", "EPYC", "Opteron_G1", "Conroe"])
def test_boots_on_other_processors(cpu):
    done = good(f"{QUICK} run=selftest,bandwidth", extra=("-cpu", cpu))
    assert done.verdicts["selftest"].ok


# TCG has no topoext, so AMD's leaf 0x8000001d cannot be seen here; the older leaves can.
@pytest.mark.parametrize("cpu, source", [("core2duo", "cpuid leaf 4"), ("EPYC", "cpuid 0x8000000")])
def test_caches_come_from_where_the_processor_has_them(cpu, source):
    caches = good("run=list", extra=("-cpu", cpu)).of("machine", what="cache")
    assert caches
    assert all(c["source"].startswith(source) for c in caches)


def test_page_color_auto_says_where_the_number_came_from():
    done = good("run=bandwidth page_color=auto subject=64M reps=1 warmup=0 passes=1", extra=("-cpu", "EPYC"))
    level = next(iter(done.experiments["bandwidth"].levels.values()))
    assert "cpuid 0x80000006" in level["color_source"]
    assert level["cache_bytes"] in [c["size"] for c in done.of("machine", what="cache")]
    assert level["colors"] == level["cache_bytes"] // level["ways"] // 4096


@pytest.mark.parametrize("extra", [("-bios", "bios-256k.bin"), ("-M", "pc"), ("-M", "microvm")], ids=" ".join)
def test_boots_with_other_firmware_and_boards(extra):
    good(QUICK, extra=extra)


def test_two_processors_disturb_nothing():
    assert good(f"{QUICK} alloc=random", smp=2).counts() == good(f"{QUICK} alloc=random").counts()


def test_gdb_stops_at_kernel_main_with_symbols():
    done = subprocess.run(
        [ROOT / "tools" / "tt", "run", "--gdb", "--kernel", KERNEL, "--cmdline", QUICK],
        input="info symbol $pc\nbacktrace 1\nkill\nquit\n",
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "TERM": "dumb"},
    )
    assert "kernel_main in section .text" in done.stdout, done.stdout + done.stderr
    assert "kernel_main (bi=" in done.stdout
