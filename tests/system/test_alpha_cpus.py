"""The kernel runs on every 21264, seed 002's own included, and says so to what is older."""

import pytest
from boots import ARCH, NOT_OK, boot

pytestmark = pytest.mark.skipif(ARCH != "alpha", reason="processors of Alpha")


@pytest.mark.parametrize("cpu", ["ev6", "ev67", "ev68"])
def test_every_21264_runs_all_of_it(cpu):
    """An instruction that it has not would end the boot: QEMU refuses CIX on an EV6."""
    done = boot("run=selftest,pair reps=2 subject=64M page_color=2048,1 age=off", extra=("-cpu", cpu))
    assert done.status == 0
    assert done.only("end")["verdict"] == "ok"


def test_an_older_one_is_told():
    done = boot("run=selftest", extra=("-cpu", "ev56"))
    assert done.status == NOT_OK
    assert "not ok 1 boot # this CPU is older than a 21264: it has not both BWX and FIX" in done.lines
