"""Every way to crash ends in a panic that says where, with registers, a backtrace and a status."""

import re

import pytest
from boots import ARCH, KERNEL, NOT_OK, QUICK, boot

from ttlib.cli import main

# Alpha's KSEG lets text be overwritten and has no guard page: no `text`, no `stack` there.
WAYS = {
    "x86_64": {
        "panic": r"crash=panic: asked for",
        "null": r"#PF page fault: write 0x8 at crash_null\+",
        "text": r"#PF page fault: write 0xffffffff8[0-9a-f]+ \(protected\) at crash_text\+",
        "div": r"#DE divide error at crash_div\+",
        "stack": r"#DF double fault at descend",
    },
    "alpha": {
        "panic": r"crash=panic: asked for",
        "null": r"translation not valid: write 0x8 at crash_null\+",
        "div": r"integer divide by zero at __divl\+",
        "bus": r"machine check at crash_bus\+",
    },
}[ARCH]

REGISTERS = {"x86_64": ("rax", "rsp", "rip", "cr2", "cr3", "efl"), "alpha": ("v0", "ra", "gp", "sp", "pc")}[ARCH]


@pytest.mark.parametrize("way", WAYS)
def test_a_crash_is_a_panic_with_its_reason(way):
    done = boot(f"crash={way}")
    assert done.status == NOT_OK
    end = done.only("end")
    assert end["verdict"] == "panic"
    assert re.search(WAYS[way], end["reason"])
    assert re.search(r"^# panic: " + WAYS[way], done.text, re.M)


@pytest.mark.parametrize("way", WAYS)
def test_the_backtrace_names_functions(way):
    done = boot(f"crash={way}")
    trace = done.text[done.text.index("# backtrace:") :]
    names = re.findall(r"^#   [0-9a-f]{16} (\w+)", trace, re.M)
    assert f"crash_{way}" in names
    assert names.index("crash_now") < names.index("kernel_main")


@pytest.mark.parametrize("way", [w for w in WAYS if w != "panic"])
def test_a_trap_prints_registers(way):
    text = boot(f"crash={way}").text
    for name in REGISTERS:
        assert re.search(rf"\b{name} [0-9a-f]{{16}}", text), name


def test_tt_run_tells_the_reason(capfd):
    assert main(["run", "--arch", ARCH, "--kernel", KERNEL, "--cmdline", "crash=div", "--timeout", "60"]) == 1
    assert re.search(WAYS["div"], capfd.readouterr().err)


MISSING = {
    "x86_64": {"bus": "this machine answers for devices that it has not, with ones"},
    "alpha": dict.fromkeys(["text", "stack"], "this machine protects neither text nor the end of a stack"),
}[ARCH]


@pytest.mark.parametrize("way", MISSING)
def test_a_crash_that_this_machine_would_not_notice_is_refused(way):
    done = boot(f"crash={way}")
    assert done.status == NOT_OK
    assert f"# error: crash={way}: {MISSING[way]}" in done.lines


def test_an_exception_in_a_workload_ends_that_experiment_and_no_other():
    done = boot(f"{QUICK} run=bandwidth,latency crash=work")
    assert done.status == NOT_OK
    assert not done.verdicts["bandwidth"].ok
    assert re.search(r"^not ok 1 bandwidth # exception: .* at 0x[0-9a-f]+, address 0x8$", done.text, re.M)
    assert done.verdicts["latency"].ok
    assert done.only("end")["verdict"] == "fail"
    assert len(done.of("sample", exp="latency")) > 0
