"""Wrong command lines: named, with the nearest valid words, not ok, status not 33. Never a default."""

import pytest
from boots import ARCH, KERNEL, NOT_OK, boot

from ttlib.cli import main

WRONG = [
    # words, what the message has to contain besides the word itself
    ("rep=3", ["reps"]),
    ("see=3", ["seed"]),
    ("page_colour=2048", ["page_color"]),
    ("helq", ["help"]),
    ("alloc=buddi", ["buddy"]),
    ("alloc=", ["valid"]),
    ("alloc=buddy,,va", ["valid"]),
    ("run=bandwith", ["bandwidth"]),
    ("run=", ["run=list"]),
    ("reps=0", ["1", "100000"]),
    ("reps=ten", ["1", "100000"]),
    ("reps=3x", ["1", "100000"]),
    ("reps=99999999999999999999", ["1", "100000"]),
    ("warmup=-1", ["valid"]),
    ("passes=0", ["valid"]),
    ("seed=x", ["valid"]),
    ("mem=lots", ["64M"]),
    ("mem=99999999999G", ["valid"]),
    ("hole=64M", ["SIZE@ADDRESS"]),
    ("hole=64M@", ["SIZE@ADDRESS"]),
    ("hole=@64M", ["SIZE@ADDRESS"]),
    ("age=4:50:95", ["valid"]),
    ("age=4:101:50", ["valid"]),
    ("page_color=0", ["valid"]),
    ("page_color=2048,0", ["valid"]),
    ("page_color=autp", ["auto"]),
    ("page_struct=2.6:40", ["56"]),
    ("page_struct=9.9", ["2.6"]),
    ("subject=lots", ["4M"]),
    ("proc=maybe", ["on", "off"]),
    ("empty=nex", ["next"]),
    ("pmu=cycles", ["auto", "off"]),  # no counters in QEMU
    ("crash=boom", ["panic"]),
    ("console=ttyS9", ["ttyS0", "io:0xPORT"]),
    ("console=io:0x3f9", ["ttyS0", "io:0xPORT"]),
    ("console=mmio:0x10004", ["ttyS0", "io:0xPORT"]),
    ("console=pci:0:32.0", ["ttyS0", "io:0xPORT"]),
    ("console=ttyS0,9601", ["115200"]),
    ("cpus=0", ["1", "64"]),
    ("cpus=65", ["1", "64"]),
    ("nosmp=1", ["alone"]),
    ("watchdog=0", ["1", "86400"]),
    ("interleave=0", ["1", "1000000"]),
    ("pagevec=17", ["15p32"]),
    ("levels=a/b:page_strct=2.2", ["page_struct"]),
    ("levels=a/b:irq_desc=24", ["16, 32, 64 or 128"]),
    ("levels=a/a", ["twice"]),
    ("irq_desc=24", ["16, 32, 64 or 128"]),
    ("irq_desc=16+2", ["multiple of 4"]),
]


def errors(done):
    return [line for line in done.lines if line.startswith("# error: ")]


@pytest.mark.parametrize("words, valid", WRONG, ids=[w for w, _ in WRONG])
def test_a_wrong_word_is_named_and_ends_the_boot_not_ok(words, valid):
    done = boot(words)
    assert done.status == NOT_OK
    assert done.last.end["verdict"] == "fail"
    assert not done.verdicts["cmdline"].ok
    message = "\n".join(errors(done))
    assert words.split("=")[0] in message
    for word in valid:
        assert word in message
    assert not done.of("sample")


def test_every_error_is_reported_not_only_the_first():
    done = boot("foo=1 reps=0 alloc=bogus run=bandwith")
    assert len(errors(done)) == 4


@pytest.mark.parametrize(
    "words, why",
    [
        ("subject=10G", "subject"),
        ("subject=1M", "subject"),
        ("mem=64M subject=100M", "subject"),
    ],
)
def test_an_impossible_combination_is_an_error(words, why):
    done = boot(f"run=bandwidth page_color=256,1 reps=1 {words}")
    assert done.status == NOT_OK
    assert why in done.text.split("KTAP version 1")[-1] + "\n".join(errors(done))
    assert not done.of("sample")


def test_several_factors_are_crossed():
    done = boot("run=bandwidth subject=16M reps=1 warmup=0 passes=1 alloc=buddy,va page_color=256/512")
    assert done.ok
    assert len(done.experiments["bandwidth"].levels) == 4


def test_linux_habits():
    done = boot("BOOT_IMAGE=/boot/vmlinuz reps=7 reps=3 page-color=0x100,1 run=bandwidth subject=16M warmup=0 passes=1")
    assert done.ok
    assert done.experiments["bandwidth"].plan["reps"] == 3
    level = next(iter(done.experiments["bandwidth"].levels.values()))
    assert level["cache_bytes"] == 256 << 10


def test_tt_run_passes_the_bad_end_on(capfd):
    assert main(["run", "--arch", ARCH, "--kernel", KERNEL, "--cmdline", "reps=0", "--timeout", "60"]) == 1
    assert "not ok" in capfd.readouterr().err
