"""What all pytest suites share: modules of tools/ and of the suites on the path, the mark `long`."""

import signal
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent

sys.path[:0] = [str(TESTS), str(TESTS.parent / "tools"), str(TESTS / "tools"), str(TESTS / "system")]


def pytest_configure(config):
    # A shell that runs us in the background has them ignored, and what we start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "long: needs minutes or extra packages: make test-long")
