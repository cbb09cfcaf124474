"""tt completion, asked by a real bash."""

import subprocess

import pytest
from paths import ROOT


@pytest.fixture(scope="module")
def complete():
    made = subprocess.run([ROOT / "tools" / "tt", "completion"], capture_output=True, text=True, check=True).stdout

    def ask(line):
        words = line.split(" ")
        array = " ".join(f"'{w}'" for w in words)
        program = f'{made}\nCOMP_WORDS=({array}); COMP_CWORD={len(words) - 1}; _tt; printf "%s\\n" "${{COMPREPLY[@]}}"'
        done = subprocess.run(["bash", "-u", "-c", program], capture_output=True, text=True, cwd=ROOT)
        assert done.stderr == ""
        return set(done.stdout.split())

    return ask


@pytest.mark.parametrize(
    "line, words",
    [
        ("tt ", {"run", "sweep", "scrape", "report", "compare", "plot", "trace", "completion"}),
        ("tt re", {"report"}),
        ("tt run --a", {"--arch"}),
        ("tt run --arch ", {"x86_64", "alpha"}),
        ("tt run --arch a", {"alpha"}),
        ("tt scrape --format ", {"jsonl", "csv", "ktap", "benchstat"}),
        ("tt scrape --format csv Makef", {"Makefile"}),
        ("tt compare --fail", {"--fail-above"}),
        ("tt --", {"--help"}),
        ("tt run --model ds", {"ds10"}),
        ("tt sweep mo", {"model="}),
        ("tt sweep -o folder s", {"smp=", "seed="}),
        ("tt sweep --dry", {"--dry-run"}),
        ("tt sweep --dry-run s", {"smp=", "seed="}),
        ("tt sweep -o Makef", {"Makefile"}),
        ("tt sweep boot =", {"kernel", "bios", "uefi", "efi"}),  # as bash cuts boot= up
        ("tt sweep boot = u", {"uefi"}),
        ("tt sweep model = k75,ds", {"k75,ds10"}),
        ("tt report --m", set()),
        ("tt plot --", {"--help", "--output", "--exp", "--metric", "--boot", "--x", "--lines", "--only"}),
        ("tt plot folder --x m", {"model", "mem"}),
        ("tt plot folder --lines s", {"smp"}),
    ],
)
def test_words(complete, line, words):
    assert complete(line) == words
