"""Every command with every kind of input that it cannot use: status, the file's name and why, nothing written."""

import pytest
from synthetic import experiment
from test_pool import seeds, write

WHOLE = experiment(lambda level, x: 100.0).bytes()
DAMAGED = WHOLE.replace(b'"block":2', b'"block":3', 1)
NEWER = experiment(lambda level, x: 100.0, v=2).bytes()
COMMANDS = {
    "scrape": ["scrape", "IN"],
    "report": ["report", "IN", "-o", "out.html"],
    "plot": ["plot", "IN", "-o", "out.png"],
    "compare": ["compare", "whole.log", "IN"],
    "compare to": ["compare", "IN", "whole.log"],
    "trace": ["trace", "IN", "-o", "out.bin"],
}
# what is read -> (why it is no good, status of scrape, of those that judge its numbers)
INPUTS = {
    "missing.log": ("No such file", 2, 2),
    "folder": ("a directory, not a log", 2, 2),
    "empty.log": ("no record", 1, 2),
    "foreign.log": ("no record", 1, 2),
    "newer.log": ("log grammar v=2; this tt knows 1", 1, 2),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    files = {"empty": b"", "foreign": b"hello\n\xff\x00\n" * 9, "newer": NEWER, "whole": WHOLE, "damaged": DAMAGED}
    for name, data in files.items():
        (tmp_path / f"{name}.log").write_bytes(data)
    write(tmp_path / "swept", seeds((1, 2)))
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("what", INPUTS)
def test_what_is_no_log_is_named(tt_here, here, command, what):
    why, scraped, judged = INPUTS[what]
    done = tt_here(*(what if word == "IN" else word for word in COMMANDS[command]))
    assert done.returncode == (scraped if command == "scrape" else judged)
    told = done.stderr.decode()
    assert why in told and f"tt {command.split()[0]}: " in told
    assert what in told or command == "scrape"
    assert not list(here.glob("out.*"))


@pytest.mark.parametrize(
    "words, why",
    [
        (["plot", "whole.log", "-o", "out.png", "--metric", "reed"], "no metric reed; did you mean read? there are: read"),
        (["plot", "whole.log", "-o", "out.png", "--exp", "bandwith"], "did you mean bandwidth?"),
        (["plot", "whole.log", "-o", "out.png", "--boot", "0"], "--boot: 0: expected a whole number above 0"),
        (["plot", "whole.log", "-o", "out.png", "--boot", "2"], "whole.log: no boot 2: it has 1"),
        (["compare", "whole.log", "whole.log", "--metric", "reed"], "did you mean read?"),
        (["compare", "whole.log", "whole.log", "--exp", "bandwith"], "did you mean bandwidth?"),
        (["compare", "swept", "swept", "--metric", "reed"], "did you mean read?"),
        (["compare", "swept", "folder"], "folder: a directory, not a log, and without the index.jsonl of tt sweep"),
        (["compare", "swept", "whole.log"], "two of one kind"),
        (["compare", "whole.log", "whole.log", "--fail-above", "nan"], "expected a percentage"),
        (["report", "whole.log", "-o", "whole.log"], "ends in .html"),
        (["report", "whole.log", "-o", "/no/such/a.html"], "/no/such/a.html: No such file"),
        (["trace", "whole.log", "-o", "out.bin"], "no trace in it: the boot had no run=faults trace=record"),
        (["trace", "whole.log", "-o", "out.bin", "--boot", "x"], "expected a whole number"),
        (["scrape", "whole.log", "--keep", "whole.log"], "whole.log: that is the log itself"),
        (["scrape", "whole.log", "--keep", "./folder/../whole.log"], "that is the log itself"),
        (["scrape", "whole.log", "--keep", "folder"], "folder: Is a directory"),
        (["scrape", "whole.log", "--baud", "0"], "--baud: 0: expected a whole number above 0"),
        (["scrape", "whole.log", "--timeout", "-1"], "--timeout: -1: expected seconds"),
        (["run", "--timeout", "nan"], "--timeout: nan: expected seconds"),
        (["run", "--timeout", "inf"], "--timeout: inf: expected seconds"),
        (["run", "--smp", "-1"], "expected a whole number above 0"),
        (["run", "--kernel", "folder"], "folder: a directory, not a kernel"),
        (["run", "--kernel", "whole.log", "--model", "ds11"], "model ds11: no such machine; did you mean ds10? there are: cobra"),
        (["sweep", "-o", "new", "kernel=folder", "--dry-run"], "folder: a directory, not a kernel"),
        (["sweep", "-o", "new", "model=ds11", "--dry-run"], "did you mean ds10? there are: cobra"),
        (["sweep", "-o", "new", "seed=1", "--timeout", "nan"], "expected seconds"),
        (["nope"], "invalid choice: 'nope'"),
        (["completion", "zsh"], "unrecognized arguments: zsh"),
        ([], "required: COMMAND"),
    ],
)
def test_wrong_words_are_status_2_and_named(tt_here, here, words, why):
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    done = tt_here(*words)
    assert (done.returncode, why in done.stderr.decode()) == (2, True), done.stderr
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("command", ["scrape", "report", "plot", "trace"])
def test_a_damaged_log_is_a_finding(tt_here, here, command):
    done = tt_here(*("damaged.log" if word == "IN" else word for word in COMMANDS[command]))
    assert done.returncode == 1 and b"lost seq" in done.stderr


def test_an_axis_of_models_may_have_metrics_that_only_one_has(tt_here, here):
    boots = [*seeds((1, 2, 3)), *seeds((1, 2, 3), given={"model": "ds10"}, metric="read.L2.miss", unit="cycles", source="model")]
    write(here / "mixed", boots)
    done = tt_here("compare", "mixed", "mixed", "--metric", "read.L2.miss")
    assert done.returncode == 0 and b"4 comparisons" in done.stdout


@pytest.mark.parametrize("command", [["report", "IN", "-o", "out.html"], ["plot", "IN", "-o", "out.png"], ["compare", "IN", "IN"]])
def test_a_sweep_without_a_boot_is_none(tt_here, here, command):
    (here / "folder" / "index.jsonl").write_text("")
    done = tt_here(*("folder" if word == "IN" else word for word in command))
    assert done.returncode == 2 and b"folder: no boot in its index" in done.stderr


def test_a_sweep_without_a_good_boot_has_no_picture(tt_here, here):
    write(here / "bad", [({"seed": 1}, WHOLE, {"status": "failed", "why": ["verdict panic"]})])
    done = tt_here("plot", "bad", "-o", "out.png")
    assert done.returncode == 1 and b"verdict panic" in done.stderr and not (here / "out.png").exists()
