"""Fixtures of the host tools' tests."""

import os
import subprocess

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
