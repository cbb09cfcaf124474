"""page_color=probe: the colours that the modelled machine shows are those its file describes."""

import pytest
from boots import ARCH, boot, boot_machine, machine

pytestmark = pytest.mark.skipif(ARCH != "x86_64", reason="the modelled machines have its page size")

BASE = "run=conflict age=4:95:50 reps=2 warmup=0"

# The index of tools/machines/sandy.conf as a map: five plain bits above the page, two hashes.
SANDY = "xor:0x1000,0x2000,0x4000,0x8000,0x10000,0xeaac0000,0xb5fa0000"


def under(model, words):
    which = machine(f"{BASE} {words}")
    which.model = model
    return boot_machine(which)


def of_level(done, level, metric):
    return {(f["x"], f["block"]): f["value"] for f in done.of("sample", metric=metric, level=level)}


def test_a_plain_index_is_found_and_address_bits_agree():
    done = under("k75", "alloc=buddy,va page_color=512,2/probe")
    assert done.ok
    probe = done.only("experiment", what="probe")
    assert (probe["colors"], probe["lines"], probe["verdict"], probe["source"]) == (64, 2, "agrees", "model")
    assert probe["wrong"] == 0 and probe["far_cycles"] > 2 * probe["near_cycles"]
    for policy in "buddy", "va":
        stated, probed = (of_level(done, f"alloc={policy} page_color={c}", "conflict") for c in ("512,2", "probe"))
        assert stated and stated == probed
    level = done.of("experiment", what="level")[-1]
    assert level["color_source"].startswith("probed, ")


def test_hashed_slices_are_found_where_address_bits_go_astray():
    done = under("sandy", f"alloc=buddy page_color=auto/probe/{SANDY} subject=64M")
    assert done.ok
    probe = done.only("experiment", what="probe")
    assert (probe["colors"], probe["verdict"], probe["wrong"]) == (128, "differs", 0)
    assert 20 < probe["right"] < 30 and 20 < probe["known"] < 30  # one slice in four
    names = [f["name"] for f in done.of("experiment", what="level")]
    auto, probed, known = (of_level(done, name, "colors") for name in names)  # of one placement
    assert probed and probed == known != auto


def rank(masks):
    """Dimensions of what the masks span over GF(2)."""
    basis = []
    for mask in masks:
        for b in basis:
            mask = min(mask, mask ^ b)
        if mask:
            basis.append(mask)
    return len(basis)


def test_the_published_hash_comes_out_of_times():
    """The masks found span the same space as those of the machine file, in the bits that frames differ in."""
    done = under("sandy", "alloc=buddy page_color=probe subject=64M")
    found = [int(m, 16) for m in done.only("experiment", what="linear")["masks"].split(",")]
    frames = done.only("experiment", what="probe")["frames"]
    differing = 0x7FFFFFF  # of addresses below 128M
    published = [int(m, 16) & differing for m in SANDY[len("xor:") :].split(",")]
    assert rank(found) == 7 == rank(published) == rank(found + published)


def test_another_level_of_the_hierarchy():
    """The second level, with a third behind it: a load that leaves it is told from one that hits."""
    done = under("zen3", "alloc=va page_color=probe:512,8")
    assert done.ok
    probe = done.only("experiment", what="probe")
    assert (probe["colors"], probe["verdict"]) == (16, "agrees")


@pytest.mark.parametrize(
    "model, words, why",
    [
        ("", "page_color=probe", "no caches to probe; valid here: KB"),
        ("k75", "page_color=probe:256,2", "more colours than the cache of page_color= has"),
        ("k75", "page_color=probe pages=2M", "pages=: page_color=probe knows the colours of small pages"),
        ("k75", "page_color=probe own_colors=0-3", "own_colors= has to know the colours"),
        ("k75", "page_color=probe:lots", "valid: KB"),
    ],
)
def test_what_cannot_be_probed_is_an_error(model, words, why):
    done = under(model, words) if model else boot(f"{BASE} {words}")
    assert not done.ok
    assert why in done.text
