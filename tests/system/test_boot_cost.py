"""What a boot costs up to its first experiment, counted: code translated, and bytes of log.

Under QEMU's TCG nearly all of a boot's time is translating code that runs once, and writing the
log. Both can be counted, so a boot that grows is seen here, whatever the machine is busy with;
`make bench-boots` has the time.
"""

import pytest

from boots import ARCH, KERNEL, boot

# A little above what it takes today; who needs more says why. A block ends at a branch, and those
# of the end of the boot, some 500, are in it.
BLOCKS, BYTES = {"x86_64": (3075, 2300), "alpha": (2550, 1900)}[ARCH]

# As `make qemu`; it ends behind the plan, for want of memory for so many samples.
WORDS = "run=bandwidth alloc=buddy,random,va page_color=2048,1 age=4:95:50 reps=100000"
WANT = "bandwidth # no memory left for the samples: fewer reps or levels"


@pytest.mark.skipif("-check" in KERNEL, reason="a checked build does more, on purpose")
def test_blocks_and_bytes_before_the_first_experiment(tmp_path):
    """Neither drifts: a slow boot is made of many small additions."""
    trace = tmp_path / "blocks"
    done = boot(WORDS, extra=("-d", "in_asm", "-D", str(trace)))
    assert f"not ok 1 {WANT}" in done.text
    before, plan, _ = done.data.partition(b'{"tt":"experiment"')
    assert plan
    blocks = trace.read_text().count("\nIN:")
    assert len(before) <= BYTES, f"{len(before)} bytes of log before the first experiment"
    assert blocks <= BLOCKS, f"{blocks} blocks of code translated"
    assert blocks > BLOCKS * 0.85, f"{blocks} blocks: the limit is to follow"
