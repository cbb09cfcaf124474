"""Levels too long for names go by a label, which stands for the same text in every log."""

import zlib

import pytest
from boots import ARCH, good

MASKS = ",".join(hex(1 << bit | 1 << bit + 16) for bit in range(12, 20))
LONG = f"xor:{MASKS}"
WORDS = "run=conflict alloc=va subject=16M reps=1 warmup=0"


def test_a_long_xor_list_is_a_level_like_others():
    done = good(f"{WORDS} page_color={LONG}/256,1")
    label = f"{LONG[:31]}~{zlib.crc32(LONG.encode()):08x}"
    assert list(done.experiments["conflict"].levels) == [f"page_color={label}", "page_color=256,1"]
    text = done.last.parts("experiment", "text", what="label", factor="page_color", label=label)
    assert "".join(text) == LONG


def test_alone_it_is_named_in_the_plan():
    done = good(f"{WORDS} page_color={LONG}")
    assert f"page_color={LONG[:31]}~" in done.experiments["conflict"].plan["fixed"]


@pytest.mark.skipif(ARCH == "alpha", reason="its command line has 255 bytes")
def test_as_many_masks_as_a_map_holds():
    masks = ",".join(hex(1 << 12 + i % 8 | 0x8000000000) for i in range(24))
    done = good(f"{WORDS} page_color=xor:{masks}", "256M")
    assert len("xor:" + masks) > 300
    assert "".join(done.last.parts("experiment", "text", what="label")) == f"xor:{masks}"
