"""Nodes: what firmware says of them, and that memory comes from the right one in the right colour."""

import pytest
from boots import ARCH, QUICK, boot, good

pytestmark = pytest.mark.skipif(ARCH != "x86_64", reason="no Alpha that QEMU has tells of nodes")


def numa(*nodes, distances=()):
    """QEMU's arguments for nodes of (MiB, CPUs), either of which may be empty."""
    argv = []
    for i, (mb, cpus_) in enumerate(nodes):
        node = f"node,nodeid={i}" + (f",cpus={cpus_}" if cpus_ else "")
        if mb:
            argv += ["-object", f"memory-backend-ram,id=m{i},size={mb}M"]
            node += f",memdev=m{i}"
        argv += ["-numa", node]
    for src, dst, far in distances:
        argv += ["-numa", f"dist,src={src},dst={dst},val={far}"]
    return tuple(argv)


def nodes(done):
    return done.of("memory", what="node")


def ram_total(done):
    return done.only("memory", what="total")["ram_pages"]


def test_a_machine_that_says_nothing_is_one_node():
    done = good("run=list", smp=2)
    (node,) = nodes(done)
    assert (node["cpus"], node["distance"], node["ram_pages"]) == ([0, 1], [10], ram_total(done))


def test_two_nodes_with_distances():
    extra = numa((256, "0-1"), (256, "2-3"), distances=[(0, 1, 21)])
    done = good("run=list", mem="512M", smp=4, extra=extra)
    assert [(n["node"], n["cpus"], n["distance"]) for n in nodes(done)] == [
        (0, [0, 1], [10, 21]),
        (1, [2, 3], [21, 10]),
    ]
    assert nodes(done)[1]["ram_pages"] == 65536
    assert sum(n["ram_pages"] for n in nodes(done)) == ram_total(done)


def test_four_uneven_nodes():
    extra = numa((256, "0"), (64, "1"), (128, "2"), (64, "3"))
    done = good("run=list", mem="512M", smp=4, extra=extra)
    assert [n["ram_pages"] for n in nodes(done)][1:] == [16384, 32768, 16384]
    assert [n["cpus"] for n in nodes(done)] == [[0], [1], [2], [3]]
    assert nodes(done)[0]["distance"] == [10, 20, 20, 20]  # nobody says: no SLIT


def test_a_node_without_memory_and_one_without_cpus():
    done = good("run=list", mem="256M", smp=2, extra=numa((256, ""), (0, "0-1")))
    assert [n["cpus"] for n in nodes(done)] == [[], [0, 1]]
    assert [n["ram_pages"] for n in nodes(done)] == [ram_total(done), 0]


def test_nodes_that_start_behind_a_gap():
    extra = ("-machine", "max-ram-below-4g=128M") + numa((128, "0"), (384, "1"))
    done = good("run=list", mem="512M", smp=2, extra=extra)
    assert nodes(done)[1]["ram_pages"] == 98304
    assert sum(n["ram_pages"] for n in nodes(done)) == ram_total(done)


# ---- allocation --------------------------------------------------------------------------------

# Two nodes, and CPU 0 on the second.
SECOND = numa((256, "1"), (256, "0"), distances=[(0, 1, 21)])
# Four uneven ones; CPU 0's is the smallest, and node 3 is nearest to it, then 1.
FAR = {(2, 3): 12, (1, 2): 14, (0, 2): 30, (0, 1): 20, (0, 3): 20, (1, 3): 20}
UNEVEN = numa((256, "1"), (64, "2"), (48, "0"), (160, "3"), distances=[(a, b, d) for (a, b), d in FAR.items()])

# Fresh memory, so that it is full only when it is; 1M direct-mapped has 256 colours.
FRESH = "run=bandwidth page_color=1024,1 age=off reps=2 warmup=0 passes=1"


def plan(done, exp="bandwidth"):
    return done.only("experiment", what="plan", exp=exp)


def by_node(done, array, level="all"):
    (v,) = done.last.parts("alloc", "v", array=array, level=level)
    return v


def account(done, level="all"):
    (found,) = [f for f in done.of("alloc", level=level) if "pages" in f]
    return found


def conflicts(done, level="all", up_to=1 << 20):
    """Of all working sets that the cache holds."""
    return [f["value"] for f in done.of("sample", level=level, metric="conflict") if f["x"] <= up_to]


def test_memory_comes_from_the_cpus_own_node():
    done = good(f"{FRESH} alloc=buddy,va subject=64M", mem="512M", smp=2, extra=SECOND)
    low, high = plan(done)["subject_nodes"]
    assert low + high == plan(done)["subject_pages"] == 16384
    ram = [n["ram_pages"] for n in nodes(done)]
    assert abs(low / high - ram[0] / ram[1]) < 0.25  # the kernel's own memory lies on node 0
    for level in ("alloc=buddy", "alloc=va"):
        got = by_node(done, "node_got", level)
        assert got == by_node(done, "node_wanted", level) == [0, account(done, level)["blocks"]]
        assert account(done, level)["remote"] == 0
    assert set(conflicts(done, "alloc=va")) == {0}


def test_off_is_one_node():
    words = f"{FRESH} numa=off alloc=va subject=64M"
    done = good(words, mem="512M", smp=2, extra=SECOND)
    assert "local" not in account(done) and not done.of("alloc", array="node_got")
    # The same frames as on the same machine without nodes.
    assert plan(done)["subject_ranges"] == 1
    assert done.counts() == good(words, mem="512M", smp=2).counts()


def test_on_and_off_own_the_same_frames():
    words = f"{FRESH.replace('age=off', 'age=4:95:50')} numa=on,off alloc=random subject=64M"
    done = good(words, mem="512M", smp=2, extra=SECOND)
    free = [done.last.parts("alloc", "v", array="free_blocks", level=f"numa={how}") for how in ("on", "off")]
    pages = [sum(n << order for order, n in enumerate(v)) for (v,) in free]
    assert pages[0] == pages[1] == plan(done)["subject_pages"] // 2


def test_one_node_is_as_before_there_were_nodes():
    words = f"{QUICK} alloc=buddy,va"
    assert good(words).counts() == good(f"{words} numa=off").counts()


def test_the_nearest_other_node_is_next():
    """The working set of 4M does not fit what node 2 has of the subject."""
    done = good(f"{FRESH} subject=16M", mem="528M", smp=4, extra=UNEVEN)
    shares = plan(done)["subject_nodes"]
    assert sum(shares) == 4096
    got, blocks = by_node(done, "node_got"), account(done)["blocks"]
    assert shares[2] < 1024 * plan(done)["reps"]
    assert got[2] == account(done)["local"] == shares[2] * plan(done)["reps"]
    assert got[3] == blocks - got[2] == account(done)["remote"]
    assert got[0] == got[1] == 0


def test_colour_or_node_first():
    """Aged to the brim: on node 1 some colours run out, though pages do not, and the rule decides."""
    words = "run=bandwidth page_color=512,1 age=2:95:85 reps=3 warmup=0 passes=1 alloc=va subject=48M numa=on,color"
    done = good(words, mem="512M", smp=2, extra=SECOND)
    on, color = account(done, "numa=on"), account(done, "numa=color")
    assert on["missed"] > 0 and color["missed"] < on["missed"]
    assert on["remote"] == 0 < color["remote"]
    for level in ("numa=on", "numa=color"):
        assert sum(by_node(done, "node_got", level)) == account(done, level)["blocks"]


def test_a_policy_that_picks_has_no_colour_to_look_for_elsewhere():
    done = boot(f"{QUICK} alloc=posted numa=color")
    assert not done.ok
    assert "numa=color: alloc=posted picks blocks node by node; valid: on, off" in done.text
    done = boot(f"{QUICK} numa=color,of")
    assert "of: nothing of that name, nearest: on; valid: on off color" in done.text


@pytest.mark.parametrize("cpus_, memory", [("", 0), ("0-1", 1)], ids=["no_cpus", "no_memory"])
def test_empty_nodes(cpus_, memory):
    """Node 1 has memory and no CPUs, or CPUs and no memory: all comes from node 0 either way."""
    extra = numa((256, "0-1"), (256, "")) if not cpus_ else numa((512, ""), (0, "0-1"))
    done = good(f"{FRESH} subject=16M alloc=va", mem="512M", smp=2, extra=extra)
    blocks = account(done)["blocks"]
    assert by_node(done, "node_got") == [blocks, 0]
    assert by_node(done, "node_wanted") == ([blocks, 0] if not memory else [0, blocks])
    assert (plan(done)["subject_nodes"][1] > 0) == (not memory)
    assert account(done)["local"] == (0 if memory else blocks)


# ---- descriptors -------------------------------------------------------------------------------

SHAPES = {"2.6:56": (56, 0), "2.2:40+12": (40, 12), "2.2:132": (132, 0), "2.6v:64": (64, 0)}
GAP_NODES = ("-M", "q35,max-ram-below-4g=128M") + numa((96, "1"), (160, "0"))


def descriptors(done, level, exp="bandwidth"):
    return done.only("experiment", what="descriptors", level=level, exp=exp)


def array_pages(done, shape):
    stride, offset = SHAPES[shape]
    return -(-(offset + plan(done)["subject_pages"] * stride) // 4096)


@pytest.mark.parametrize(
    "extra, mem, smp, subject",
    [
        pytest.param(SECOND, "512M", 2, "64M", id="two"),
        pytest.param(UNEVEN, "528M", 4, "400M", id="uneven"),
        # Nodes end at odd frames then, and in the middle of a page of descriptors.
        pytest.param(UNEVEN, "528M", 4, "440M", id="full"),
        pytest.param(GAP_NODES, "256M", 2, "200M", id="gap"),
        pytest.param(numa((256, ""), (0, "0-1"), (256, "")), "512M", 2, "100M", id="no_memory"),
    ],
)
def test_descriptors_lie_on_the_nodes_of_their_frames(extra, mem, smp, subject):
    shapes = list(SHAPES)
    done = good(f"{FRESH} subject={subject} page_struct={','.join(shapes)}", mem=mem, smp=smp, extra=extra)
    frames = plan(done)["subject_nodes"]
    # A page for each end of a node that is not one of a page; one descriptor may reach over its end.
    ends = plan(done)["subject_ranges"] + len(frames)
    for shape in shapes:
        found = descriptors(done, f"page_struct={shape}")
        stride, _ = SHAPES[shape]
        assert sum(found["nodes"]) == array_pages(done, shape)
        for pages, mine in zip(found["nodes"], frames):
            assert abs(pages - mine * stride / 4096) <= ends
            assert (pages == 0) == (mine == 0)
        assert found["away"] <= ends * (4096 // stride + 1)


def test_descriptors_of_one_node_are_where_they_were():
    words = f"{FRESH} subject=64M numa=on,off page_struct=2.6:56,2.6v:64"
    done = good(words, mem="512M", smp=2, extra=SECOND)
    high = plan(done)["subject_nodes"][1]
    for shape in ("2.6:56", "2.6v:64"):
        on, off = (descriptors(done, f"page_struct={shape} numa={how}") for how in ("on", "off"))
        assert on["away"] < 100
        assert (off["nodes"], off["away"]) == ([array_pages(done, shape), 0], high)
    alone = good(f"{FRESH} subject=64M numa=off", mem="512M", smp=2, extra=SECOND)
    assert descriptors(alone, "all")["nodes"][1] == 0
    assert not good(f"{FRESH} subject=64M", mem="512M", smp=2).of("experiment", what="descriptors")


def test_own_colors_come_before_nodes():
    done = good(f"{FRESH} alloc=va subject=16M own_colors=0-127", mem="512M", smp=2, extra=SECOND)
    assert plan(done)["descriptors"] == "own colors"
    assert descriptors(done, "all")["nodes"].count(0) == 1  # where own memory lies


def test_experiments_one_after_the_other_have_descriptors_of_their_own():
    """No address is used for another frame: what the first experiment saw is what the last one sees."""
    words = f"{FRESH} subject=64M page_struct=2.6:56,2.2:40"
    one = good(words, mem="512M", smp=2, extra=SECOND)
    more = good(words.replace("run=bandwidth", "run=conflict,walk,bandwidth"), mem="512M", smp=2, extra=SECOND)
    assert len(more.of("experiment", what="descriptors")) == 6
    for level in ("page_struct=2.6:56", "page_struct=2.2:40"):
        same = ("nodes", "away")
        assert [descriptors(one, level)[k] for k in same] == [descriptors(more, level)[k] for k in same]
    wanted = one.counts()
    assert wanted == {k: v for k, v in more.counts().items() if k[0] == "bandwidth"}


# ---- ranges that start anywhere ----------------------------------------------------------------

# One piece of RAM at the bottom and 12 of about 700K, each from an odd frame on.
PIECES = " ".join(f"hole={52 + 4 * (i % 3)}K@{(192 << 10) + 740 * i}K" for i in range(12))
HOLES = f"{PIECES} hole=172M@20M hole=55M@201M subject=15M"
GAP = ("-M", "q35,max-ram-below-4g=128M")


@pytest.mark.parametrize("extra", [(), GAP], ids=["holes", "gap"])
def test_colour_comes_from_the_physical_frame(extra):
    """Each range by its own index would start at colour 0: the pieces would overlap in colour."""
    words = f"{FRESH} alloc=va,binhop,buddy {'subject=200M' if extra else HOLES}"
    done = good(words, mem="256M", extra=extra)
    assert plan(done)["subject_ranges"] >= (2 if extra else 8)
    assert set(conflicts(done, "alloc=va")) == set(conflicts(done, "alloc=binhop")) == {0}
    assert account(done, "alloc=va")["missed"] == 0


def test_colours_of_nodes_behind_a_gap():
    extra = ("-M", "q35,max-ram-below-4g=128M") + numa((128, "1"), (128, "0"))
    done = good(f"{FRESH} alloc=va subject=64M", mem="256M", smp=2, extra=extra)
    assert set(conflicts(done)) == {0}
    assert account(done)["remote"] == 0
