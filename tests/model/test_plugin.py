"""The plugin in QEMU, on both targets, driven by the test guest (tests/model/guest)."""

import os

import pytest

from guest_run import ARCHES, BUILD, MODEL, passed, run_guest


@pytest.fixture(scope="session", autouse=True)
def built():
    if not os.path.exists(os.path.join(MODEL, "ttmodel.so")):
        pytest.fail(f"{MODEL}/ttmodel.so is missing: run `make model` (BUILD={BUILD})")


def machine_file(tmp_path, **changes):
    """The ds10 with other values: {"l2_size": "1M"}; None leaves a key out."""
    lines = []
    with open("tools/machines/ds10.conf", encoding="ascii") as file:
        for line in file:
            key = line.partition("=")[0].strip()
            if key in changes:
                value = changes.pop(key)
                line = f"{key} = {value} # source: test\n" if value else ""
            lines.append(line)
    lines += [f"{key} = {value} # source: test\n" for key, value in changes.items()]
    path = tmp_path / "machine.conf"
    path.write_text("".join(lines))
    return str(path)


@pytest.mark.parametrize("arch", ARCHES)
def test_no_model(arch):
    run = run_guest(arch, "none")
    assert "no model" in run.text
    assert passed(arch, run)


@pytest.mark.parametrize("arch", ARCHES)
def test_commands(arch):
    run = run_guest(arch, "commands", "model")
    v = run.values
    assert passed(arch, run), run.text + run.errors
    assert v["machine"] == "ds10"
    assert (v["empty_loads"], v["empty_stores"]) == (0, 0)
    assert (v["region_ends"], v["region_loads"], v["region_misses"]) == (1, 2, 1)
    assert v["idle_loads"] == 0 and v["idle_skipped_enough"] == 1
    assert (v["bad_argument"], v["bad_command"]) == (2, 1)
    # a sample every 100 cycles, all but those between the commands inside the sweep
    assert abs(v["samples"] - v["sampled_cycles"] // 100) <= 1
    assert v["samples"] > 10000 and v["samples_outside"] <= 2


@pytest.mark.parametrize("arch", ARCHES)
def test_runs_are_identical(arch):
    first = run_guest(arch, "pages 5", "model", extra=",split=on")
    second = run_guest(arch, "pages 5", "model", extra=",split=on")
    assert passed(arch, first)
    assert first.text == second.text
    assert first.values["serial"] > 0


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_misses_are_those_of_the_colours(arch, seed):
    """The guest counts the pages that share a colour; two lines of its own may come on top."""
    v = run_guest(arch, f"pages {seed}", "model").values
    lines = 2 * 1024 * 1024 // 64
    assert v["lines"] == lines
    assert (v["expected_misses"] == 0) == (seed == 0)
    assert v["expected_misses"] <= v["l2_misses"] <= v["expected_misses"] + 8
    assert lines <= v["loads"] <= lines + 8
    assert v["l1_misses"] == v["l2_accesses"]


@pytest.mark.parametrize("arch", ARCHES)
def test_split_changes_no_count(arch):
    plain = run_guest(arch, "pages 3", "model").values
    split = run_guest(arch, "pages 3", "model", extra=",split=on").values
    kinds = ("l2_compulsory", "l2_capacity", "l2_conflict")
    assert sum(split[kind] for kind in kinds) == split["l2_misses"]
    assert sum(plain[kind] for kind in kinds) == 0
    assert {k: v for k, v in plain.items() if k not in kinds} == \
           {k: v for k, v in split.items() if k not in kinds}


@pytest.mark.parametrize("arch", ARCHES)
def test_conflicts_at_half_the_cache(arch, tmp_path):
    """2 MiB of random pages in 4 MiB: what misses fits, so it is conflict."""
    conf = machine_file(tmp_path, l2_size="4M")
    v = run_guest(arch, "pages 3", "model", machine=conf, extra=",split=on").values
    assert v["l2_conflict"] > 1000
    assert v["l2_capacity"] == 0
    assert v["l2_conflict"] + v["l2_compulsory"] == v["l2_misses"]


@pytest.mark.parametrize("arch", ARCHES)
def test_remapped_page_is_another_line(arch):
    v = run_guest(arch, "remap", "model").values
    assert (v["range0_misses"], v["range1_misses"]) == (1, 1)


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("threads", [False, True])
def test_machine_of_several_cpus(arch, threads):
    """QEMU with two CPUs (instructions are counted another way then), and with a thread for each;
    the guest uses the first only."""
    flags = {"flags": ["-accel", "tcg,thread=multi"]} if threads else {}
    run = run_guest(arch, "pages 2", "model", machine="tools/machines/ppro.conf", smp=2, **flags)
    v = run.values
    assert passed(arch, run), run.text + run.errors
    assert v["machine"] == "ppro"
    lines = 2 * 1024 * 1024 // 64
    assert lines <= v["loads"] <= lines + 8
    # lines of 32 bytes, one word of every other one: 2 MiB of them through 256K of cache
    assert v["l2_misses"] >= lines
    # four instructions a load, some more a page
    assert 1 * lines < v["instructions"] < 5 * lines


def test_machine_decides(tmp_path):
    """Another size of L2 is another number of misses: the file is what is modelled."""
    small = machine_file(tmp_path, l2_size="1M")
    v = run_guest("x86_64", "pages 0", "model", machine=small).values
    assert v["l2_misses"] >= 32768  # a cyclic sweep over twice the cache: LRU misses always


@pytest.mark.parametrize("extra, changes, message", [
    ("", {"l2_ways": "0"}, "l2_ways: out of range; valid: a whole number from 1 to 64"),
    ("", {"l2_latency": None}, "l2_latency: missing; valid: cycles"),
    (",colour=on", {}, "valid arguments are machine=FILE, ram=FILE and split=on|off"),
])
def test_refusals(tmp_path, extra, changes, message):
    run = run_guest("x86_64", "none", "model", machine=machine_file(tmp_path, **changes),
                    extra=extra)
    assert message in run.errors
    assert run.status == 1


def test_more_cpus_than_the_machine():
    run = run_guest("x86_64", "none", "model", smp=2)
    assert "machine ds10 has 1 CPUs, QEMU was started with 2" in run.errors
    assert run.status == 1
