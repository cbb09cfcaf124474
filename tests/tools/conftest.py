"""Fixtures of the host tools' tests."""

import os
import subprocess
import sys

import pytest
from paths import ROOT


@pytest.fixture
def tt():
    """Runs tools/tt as a person would: tt("scrape", "-", stdin=b"...") -> CompletedProcess."""

    def call(*words, stdin=b"", env=None, timeout=60):
        return subprocess.run(
            [ROOT / "tools" / "tt", *map(str, words)],
            input=stdin,
            capture_output=True,
            env={**os.environ, **(env or {})},
            timeout=timeout,
        )

    return call


@pytest.fixture
def tt_here(capfdbinary):
    """The same without a process of its own: scipy and matplotlib are imported once, not every time."""
    from ttlib.cli import main

    def call(*words):
        capfdbinary.readouterr()
        try:
            status = main(list(map(str, words)))
        except SystemExit as error:  # argparse
            status = error.code
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = capfdbinary.readouterr()
        return subprocess.CompletedProcess(words, status, out, err)

    return call
