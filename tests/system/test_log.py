"""The log's grammar, held against real boots: HACKING.md, "The log"."""

import json
import random
import re
import shutil
import subprocess

import pytest
from boots import ARCH, QUICK, boot, good

from ttlib import ktap
from ttlib.cli import main
from ttlib.log import read_log

RUNS = {
    "experiment": f"{QUICK} alloc=buddy,va",
    "selftest": "run=selftest",
    "list": "run=list",
    "help": "help",
    "errors": "foo=1 reps=0",
    "panic": "crash=null",
    "several": f"{QUICK} run=selftest,bandwidth,latency",
    "proc": f"{QUICK} proc=on",
}


@pytest.mark.parametrize("words", RUNS.values(), ids=RUNS.keys())
def test_every_line_is_record_verdict_or_text(words):
    lines = boot(words).lines[:-1]
    if ARCH == "alpha":  # its firmware lists PCI devices on the same line
        lines = [line for line in lines if not line.startswith("PCI: ")]
    for line in lines:
        if line.startswith("{"):
            assert len(line) <= 512
            assert line.isascii()
            json.loads(line)
        else:
            assert ktap.is_ktap(line) or line == "#" or line.startswith("# "), line
            assert line == line.rstrip() or line.startswith("# "), line
            assert "nan" not in re.split(r"[^a-z]+", line) and "inf" not in re.split(r"[^a-z]+", line), line


@pytest.mark.parametrize("words", RUNS.values(), ids=RUNS.keys())
def test_every_log_is_whole_and_totals_agree(words):
    done = boot(words)
    assert done.log.complaints() == []
    assert done.of("end") == [done.last.end]
    end = done.last.end
    assert ktap.Verdicts(done.lines).totals(panicked=end["verdict"] == "panic") == (
        end["passed"],
        end["failed"],
        end["skipped"],
    )


def test_lines_end_in_cr_lf():
    data = good(QUICK).data
    assert data.count(b"\r\n") == data.count(b"\n")


def test_the_first_record_names_build_machine_and_grammar():
    done = good(QUICK)
    first = min(done.last.records, key=lambda r: r.seq)
    assert first.kind == "boot"
    assert {"v", "version", "arch", "way", "loader", "check", "console"} <= first.fields.keys()
    assert done.last.facts["cmdline"] == f"{QUICK} exit=qemu"


def test_samples_carry_what_makes_them_numbers():
    done = good(RUNS["experiment"])
    samples = done.of("sample")
    assert len(samples) > 100
    for f in samples:
        assert {"exp", "level", "block", "order", "metric", "value", "unit", "better", "source"} <= f.keys()
        assert f["better"] in ("higher", "lower", "none")
        assert f["source"] in ("count", "emulation")  # QEMU without the model has no other
        assert f["value"] is None or isinstance(f["value"], (int, float))
    metrics = done.experiments["bandwidth"].metrics
    assert {m.name for m in metrics.values()} >= {"read", "write", "copy"}


def test_each_level_runs_once_in_each_block_and_orders_differ():
    done = good(f"{QUICK} alloc=buddy,random,va reps=8")
    orders = {}
    for f in done.of("sample"):
        orders.setdefault(f["block"], {})[f["order"]] = f["level"]
    assert set(orders) == set(range(8))
    assert all(sorted(o) == [0, 1, 2] and len(set(o.values())) == 3 for o in orders.values())
    assert len({tuple(o[i] for i in range(3)) for o in orders.values()}) > 1


def test_summaries_are_those_of_the_samples():
    """Recomputed on the host from the sample records alone."""
    from ttlib import stats

    done = good(f"{QUICK} alloc=buddy,va reps=6")
    exp = done.experiments["bandwidth"]
    compared = 0
    for f in done.of("summary"):
        values = exp.values(f["level"], f["metric"], f.get("x"))
        assert f["n"] == len(values)
        if not values:
            continue
        expected = dict(
            mean=stats.mean(values), median=stats.median(values), s=stats.deviation(values), min=min(values), max=max(values)
        )
        for name, value in expected.items():
            assert f[name] == pytest.approx(value, rel=1e-6, abs=1e-6 * max(map(abs, values))), f
        if f["verdict"] != "reference" and f.get("lo") is not None:
            pairs = exp.paired(exp.reference(f["level"]), f["level"], f["metric"], f.get("x"))
            diff, lo, hi = stats.paired_difference(*pairs)
            scale = max(map(abs, values))
            assert (f["diff"], f["lo"], f["hi"]) == pytest.approx((diff, lo, hi), rel=1e-5, abs=1e-6 * scale), f
            seen = "higher" if lo > 0 else "lower" if hi < 0 else "no difference seen"
            assert f["verdict"] == seen, f
            compared += 1
    assert compared > 20


# ---- readers that we did not write -------------------------------------------------------------


def prove(tmp_path, done):
    path = tmp_path / "log.t"
    path.write_bytes(done.data)
    assert shutil.which("prove"), "perl's prove: tools/setup.sh test"
    return subprocess.run(["prove", "-v", "-e", "cat", str(path)], capture_output=True, text=True)


@pytest.mark.parametrize("words", [RUNS["experiment"], RUNS["several"], RUNS["selftest"], RUNS["list"]])
def test_prove_accepts_a_good_log(tmp_path, words):
    found = prove(tmp_path, good(words))
    assert found.returncode == 0, found.stdout[-500:]
    top = len([v for v in good(words).verdicts if "/" not in v])
    assert f"Tests={top}," in found.stdout


def test_prove_rejects_a_bad_one(tmp_path):
    found = prove(tmp_path, boot(RUNS["errors"]))
    assert found.returncode != 0
    assert "Failed 1/1 subtests" in found.stdout


@pytest.mark.skipif(not shutil.which("jq"), reason="jq is not installed")
def test_jq_reads_the_records():
    done = good(RUNS["experiment"])
    records = "\n".join(line for line in done.lines if line.startswith('{"tt"'))
    found = subprocess.run(["jq", "-r", ".seq"], input=records, capture_output=True, text=True)
    assert found.stdout.split() == [str(r.seq) for r in done.last.records]


# ---- a cut log ---------------------------------------------------------------------------------


def test_a_log_cut_anywhere_is_known_to_be_cut():
    data = good(QUICK).data
    whole = {r.seq: r.text for r in good(QUICK).last.records}
    rng = random.Random(1)
    for at in [rng.randrange(len(data) - 3) for _ in range(200)]:
        log = read_log(data[:at])
        assert log.complaints()
        assert all(whole[r.seq] == r.text for b in log.boots for r in b.records)


def test_scrape_of_a_cut_log_is_status_1(tmp_path, capfd):
    path = tmp_path / "cut.log"
    path.write_bytes(good(QUICK).data[:-40])
    assert main(["scrape", str(path)]) == 1
    assert "no end record" in capfd.readouterr().err
