"""Boots of a sweep taken together: the numbers against numpy and scipy, and what may not be mixed."""

import io
import json
import re

import numpy as np
import pytest
from scipy import stats as reference
from synthetic import experiment

from ttlib import log as logs
from ttlib import matrix, pool, series

XS = (65536, 262144)


def value(seed, scale=1.0):
    return lambda level, x: scale * (1000.0 + 10 * seed + x / 65536) * (1.1 if level == "va" else 1.0)


def write(folder, boots):
    """A sweep's directory: boots are (parameters, log's bytes, index entry's other members)."""
    folder.mkdir()
    lines = []
    for given, data, *more in boots:
        parameters = {**{name: axis.default for name, axis in matrix.AXES.items()}, **given}
        name = matrix.name(parameters)
        (folder / name).write_bytes(data)
        entry = {"log": name, "parameters": parameters, "status": "ok", "inputs": "same", "verdict": "ok", "why": []}
        lines.append(json.dumps({**entry, **(more[0] if more else {})}))
    (folder / "index.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def log(seed, scale=1.0, **how):
    return experiment(value(seed, scale), **{"seed": seed, "reps": 4, "noise": 2.0, "xs": XS, **how}).bytes()


def seeds(numbers, scale=1.0, given=None, **how):
    return [({**(given or {}), "seed": s}, log(s, scale, **how)) for s in numbers]


def values(seed, level, x, **how):
    """One boot's values, read without pool.py."""
    boot = logs.read_log(log(seed, **how)).boots[0]
    return [
        r.fields["value"] for r in boot.of("sample") if r.fields["level"] == level and r.fields["x"] == x
    ]


def test_a_boot_is_one_sample(tmp_path):
    (only,), complaints = pool.pools(write(tmp_path / "d", seeds(range(1, 6))))
    assert complaints == []
    exp = only.experiments["bandwidth"]
    for level in ("buddy", "va"):
        for x in XS:
            per_boot = [np.mean(values(s, level, x)) for s in range(1, 6)]
            assert np.allclose(exp.values(level, "read", x), per_boot)
            within = np.sqrt(np.mean([np.var(values(s, level, x), ddof=1) for s in range(1, 6)]))
            assert np.isclose(only.within["bandwidth", level, "read", x], within)


def cells(text):
    """{first word(s): cells} of the tables' lines."""
    return {m[1]: m[2].split() for line in text.splitlines() if (m := re.match(r"(\S.*?)  +(\d.*)", line))}


def test_the_table_s_numbers(tmp_path):
    found, _ = pool.pools(write(tmp_path / "d", seeds(range(1, 6))))
    out = io.StringIO()
    pool.write(found, [], out)
    table = cells(out.getvalue())
    for level in ("buddy", "va"):
        for i, x in enumerate(XS):
            per_boot = [np.mean(values(s, level, x)) for s in range(1, 6)]
            half = reference.t.ppf(0.975, 4) * reference.sem(per_boot)
            mean, spread = table[level][i].rstrip("~+-").split("±")
            assert abs(float(mean) - np.mean(per_boot)) <= 0.5
            assert abs(float(spread) - half) <= 0.5
    # boots differ by 10 and more, blocks by 2: the interval is the boots', and yet va is seen, within each
    assert half > 15
    assert all(cell.endswith("+") for cell in table["va"])
    assert "means of 5 boots; source tsc; higher is better" in out.getvalue()


def test_checks_that_were_on_are_said_in_rows_and_header(tmp_path):
    out = io.StringIO()
    pool.write(pool.pools(write(tmp_path / "d", seeds((1, 2), check=3)))[0], [], out)
    assert "\nCHECK=3 buddy " in out.getvalue() and "checks on" in out.getvalue()
    out = io.StringIO()
    boots = seeds((1, 2), given={"check": 3}, check=3) + seeds((1, 2))
    pool.write(pool.pools(write(tmp_path / "e", boots))[0], [], out)
    assert "\ncheck=3 buddy " in out.getvalue() and "\ncheck=0 buddy " in out.getvalue()


def test_one_boot_has_no_interval_and_no_verdict(tmp_path):
    (only,), _ = pool.pools(write(tmp_path / "d", seeds([1])))
    exp = only.experiments["bandwidth"]
    assert pool.verdict(only, exp, "va", "read", XS[0]) == "?"
    assert "±" not in pool._cell(only, exp, "va", "read", XS[0])


@pytest.mark.parametrize(
    "m, half, text",
    [
        (26.53, 1.234, "26.5±1.2"), (26.53, 0.0996, "26.53±0.10"), (1234.5, 123.4, "1230±120"), (0.5, 9.96, "0±10"),
        (5.0, 0.0, "5±0"), (5.0, None, "5"), (-0.04, 1.5, "0.0±1.5"), (27.3, 3.6e-15, "27.3±0"),
    ],
)
def test_as_many_places_as_the_uncertainty_allows(m, half, text):
    assert pool.with_spread(m, half) == text


def test_equal_values_have_no_difference_however_they_round(tmp_path):
    boots = [({"seed": s}, experiment(lambda level, x: 0.1 + 0.2, seed=s, reps=3 + s, noise=0.0).bytes()) for s in (1, 2, 3)]
    (only,), _ = pool.pools(write(tmp_path / "d", boots))
    assert pool.verdict(only, only.experiments["bandwidth"], "va", "read", XS[0]) == "~"


def test_a_level_is_compared_with_the_one_that_the_kernel_compared_it_with(tmp_path):
    def made(seed):
        scale = {"a": 1.0, "b": 2.0, "c": 2.0, "d": 3.0}
        log = experiment(lambda level, x: 1000.0 * scale[level], levels=tuple(scale), seed=seed)
        log.lines.pop()
        log._seq -= 1
        for level, vs in (("b", "a"), ("d", "c")):
            log.record("summary", exp="bandwidth", level=level, x=XS[0], metric="read", vs=vs)
        return log.end().bytes()

    (only,), _ = pool.pools(write(tmp_path / "d", [({"seed": s}, made(s)) for s in (1, 2, 3)]))
    exp = only.experiments["bandwidth"]
    found = {level: pool.verdict(only, exp, level, "read", XS[0]) for level in exp.levels}
    assert found == {"a": "", "b": "+", "c": "", "d": "+"}
    for level, wanted in (("b", 1000), ("d", 1000)):
        assert np.allclose(only.differences["bandwidth", level, "read", XS[0]], wanted, atol=10)


def test_other_axes_are_not_pooled_and_label_the_rows(tmp_path):
    boots = seeds((1, 2), given={"mem": "64M"}) + seeds((1, 2, 3), scale=2, given={"mem": "1G"})
    found, _ = pool.pools(write(tmp_path / "d", boots))
    assert [(p.label, len(p.boots)) for p in found] == [("mem=64M", 2), ("mem=1G", 3)]


def test_command_lines_are_told_apart_by_what_they_do_not_share():
    boots = matrix.parse(["cmdline=run=walk page_struct=2.4", "cmdline=run=walk page_struct=2.6", "mem=64M,1G"])
    assert matrix.labels(boots)[0] == "mem=64M page_struct=2.4"
    assert matrix.labels(matrix.parse(["cmdline=run=a", "cmdline=run=a b=1"])) == ["no more words", "b=1"]
    assert matrix.labels(matrix.parse(["cmdline=run=a", "mem=1G"])) == [""]
    boots = matrix.parse(["cmdline=run=a x", "cmdline=x run=a"])
    assert len(set(matrix.labels(boots))) == 2


OTHERS = {
    "version": ({"version": "other"}, {}, "different kernels: test against other"),
    "check": ({"check": 3}, {}, "different CHECK levels: 0 against 3"),
    "machine": ({"arch": "alpha"}, {}, "different machines: arch"),
    "unit": ({"unit": "cycles"}, {}, "another unit or source of read"),
    "source": ({"source": "emulation"}, {}, "another unit or source of read"),
    "file": ({}, {"inputs": "changed"}, "the files had changed between them"),
}


@pytest.mark.parametrize("how, entry, why", OTHERS.values(), ids=OTHERS)
def test_what_may_not_be_pooled_is_refused(tt_here, tmp_path, how, entry, why):
    folder = write(tmp_path / "d", [*seeds([1]), ({"seed": 2}, log(2, **how), entry)])
    done = tt_here("report", folder, "-o", tmp_path / "a.html")
    assert done.returncode == 2
    assert "not pooled" in done.stderr.decode() and why in done.stderr.decode()
    assert not (tmp_path / "a.html").exists()


def test_boots_of_two_kernels_stand_in_no_table_together_whatever_else_differs(tt_here, tmp_path):
    given = [{"mem": "64M", "seed": 1}, {"mem": "1G", "seed": 1}]
    folder = write(tmp_path / "d", [(given[0], log(1)), (given[1], log(1), {"inputs": "changed"})])
    done = tt_here("report", folder, "-o", tmp_path / "a.html")
    assert done.returncode == 2 and b"the files had changed between them" in done.stderr
    # two kernels by name are two on purpose
    folder = write(tmp_path / "e", [({"kernel": k, "seed": 1}, log(1), {"inputs": k}) for k in "ab"])
    assert tt_here("report", folder, "-o", tmp_path / "a.html").returncode == 0


@pytest.mark.parametrize("harm", ["gone", "empty", "newer"])
def test_a_log_that_is_none_any_more_is_left_out_and_named(tt_here, tmp_path, harm):
    folder = write(tmp_path / "d", seeds((1, 2)))
    path = folder / matrix.name({**{name: axis.default for name, axis in matrix.AXES.items()}, "seed": 2})
    why = {"gone": "No such file", "empty": "no record in it", "newer": "log grammar v=2"}[harm]
    path.unlink() if harm == "gone" else path.write_bytes(b"" if harm == "empty" else log(2, v=2))
    done = tt_here("report", folder, "-o", tmp_path / "a.html")
    assert done.returncode == 1
    assert f"left out: {path}: {why}" in done.stderr.decode() and "1 of 2 boots ok" in (tmp_path / "a.html").read_text()


# ---- tt report DIR ---------------------------------------------------------------------------------


def page(tt_here, tmp_path, folder, status=0):
    done = tt_here("report", folder, "-o", tmp_path / "a.html")
    assert done.returncode == status, done.stderr
    text = (tmp_path / "a.html").read_text()
    plain = re.sub(r"<style.*?</style>|<svg.*?</svg>|<[^>]+>", " ", text, flags=re.S)
    return text, " ".join(plain.split()), done.stderr.decode()


def test_a_page_of_a_sweep(tt_here, tmp_path):
    boots = seeds((1, 2, 3), given={"mem": "64M"}, source="emulation") + seeds((1, 2, 3), given={"mem": "1G"}, check=3)
    text, words, _ = page(tt_here, tmp_path, write(tmp_path / "d", boots))
    assert text.count("<svg") == 2
    assert not re.search(r'(src|href)="(?!#)', text)
    for part in (
        "6 of 6 boots ok", "bandwidth: mem=64M", "bandwidth: mem=1G", "3 boots (seeds 1, 2, 3), 4 blocks each",
        "says nothing about any real machine", "Checks were on (CHECK=3)", "variance between boots (Student's t)",
        "+10.0% [", " between, ", " within",
    ):
        assert part in words, part


def test_a_page_says_which_boots_it_lacks(tt_here, tmp_path):
    boots = seeds((1, 2, 3))
    boots[1] = (boots[1][0], boots[1][1], {"status": "failed", "why": ["verdict fail: 2 failed"]})
    boots[2] = (boots[2][0], boots[2][1][:-300])
    _, words, errors = page(tt_here, tmp_path, write(tmp_path / "d", boots), status=1)
    for said in (words, errors):
        assert "verdict fail: 2 failed" in said
        assert "no end record" in said
    assert "1 of 3 boots ok" in words
    assert "1 boots (seeds 1)" in words


# ---- tt compare DIR DIR ----------------------------------------------------------------------------


def test_compare_takes_a_boot_as_one_sample(tt_here, tmp_path):
    a = write(tmp_path / "a", seeds(range(1, 9)))
    b = write(tmp_path / "b", seeds(range(11, 19), scale=0.8))
    done = tt_here("compare", a, b)
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert "medians over boots, each by its mean" in text
    assert text.count("8+8") == 4
    assert "4 comparisons, 4 differences seen" in text
    assert tt_here("compare", a, b, "--fail-above", "5").returncode == 1
    means = sorted(np.mean(values(s, "va", XS[1])) for s in range(1, 9))
    assert series.number_text((means[3] + means[4]) / 2) in text


def test_compare_of_sweeps_sees_no_difference_in_few_boots_of_many_blocks(tt_here, tmp_path):
    """Blocks of one boot are no independent samples: 2 boots of 40 blocks stay 2."""
    a = write(tmp_path / "a", seeds((1, 2), reps=40))
    b = write(tmp_path / "b", seeds((3, 4), reps=40))
    done = tt_here("compare", a, b)
    assert b" 0 differences seen" in done.stdout
    assert b"[too few]" in done.stdout


def test_compare_matches_boots_by_the_axes_that_vary(tt_here, tmp_path):
    a = write(tmp_path / "a", seeds((1, 2), given={"mem": "64M", "kernel": "old"}) + seeds((1, 2), given={"mem": "1G", "kernel": "old"}))
    b = write(tmp_path / "b", seeds((1, 2), given={"mem": "1G", "kernel": "new"}) + seeds((1, 2), given={"mem": "2G", "kernel": "new"}))
    done = tt_here("compare", a, b)
    assert done.returncode == 0
    assert b"4 comparisons" in done.stdout and b"mem=1G buddy" in done.stdout
    assert b"only in A: boots of mem=64M" in done.stderr
    assert b"only in B: boots of mem=2G" in done.stderr


def test_compare_refuses_as_it_does_for_logs(tt_here, tmp_path):
    a = write(tmp_path / "a", seeds((1, 2)))
    checked = write(tmp_path / "b", seeds((1, 2), check=1))
    done = tt_here("compare", a, checked)
    assert done.returncode == 2
    assert b"different CHECK levels: 0 against 1" in done.stderr
    assert tt_here("compare", a, checked, "--anyway").returncode == 0
    lone = tmp_path / "one.log"
    lone.write_bytes(log(1))
    assert b"two of one kind" in tt_here("compare", a, lone).stderr


def test_other_commands_say_that_a_directory_is_no_log(tt_here, tmp_path):
    for words in (["scrape"], ["plot", "-o", "a.png"], ["trace", "-o", "a"], ["report", "-o", "a.html"]):
        done = tt_here(words[0], tmp_path, *words[1:])
        assert done.returncode == 2
        assert b"a directory" in done.stderr
