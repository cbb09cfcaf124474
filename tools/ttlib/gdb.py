"""tt run --gdb: QEMU stopped at its first instruction, gdb in front of it, at kernel_main.

The serial output goes to the terminal beside gdb's own. Whatever ends gdb ends QEMU.
"""

import os
import signal
import subprocess
import tempfile
import time

from .errors import Finding, Usage
from .run import start, stop

SOCKET_WAIT_S = 10  # QEMU opens it within 0.1 s


def debug(machine):
    """gdb's exit status."""
    with tempfile.TemporaryDirectory(prefix="tt-gdb-") as folder:
        machine.gdb = os.path.join(folder, "gdb")
        # Ctrl-C is gdb's, to stop the guest: QEMU gets a session of its own and never sees it.
        process = start(machine, start_new_session=True)
        try:
            _wait_for(machine.gdb, process)
            previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
            try:
                return subprocess.call(_gdb(machine))
            except FileNotFoundError as error:
                raise Usage("gdb is not installed: tools/setup.sh debug") from error
            finally:
                signal.signal(signal.SIGINT, previous)
        finally:
            stop(process)


def _wait_for(path, process):
    deadline = time.monotonic() + SOCKET_WAIT_S
    while not os.path.exists(path):
        if process.poll() is not None or time.monotonic() > deadline:
            raise Finding("QEMU did not start")
        time.sleep(0.01)


def _gdb(machine):
    # A hardware breakpoint: kernel_main's address is not mapped yet when it is set.
    return [
        *("gdb", "-q", machine.kernel),
        *("-ex", f"target remote {machine.gdb}"),
        *("-ex", "hbreak kernel_main"),
        *("-ex", "continue"),
    ]
