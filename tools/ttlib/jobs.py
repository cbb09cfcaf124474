"""Commands side by side, a bounded number at a time, each with a time limit; none outlives its caller.

GNU parallel is the usual program for that. It is not used because what makes a boot done is its log,
not a job's number in a --joblog, and because when it is killed its jobs stay behind.
"""

import subprocess
import tempfile
import time
from collections import deque
from dataclasses import dataclass

from .run import die_with_parent, stop

POLL_S = 0.05  # nothing beside boots of half a second and more


@dataclass
class Ended:
    key: object
    status: int
    seconds: float
    messages: list  # lines of its standard error


def run_all(jobs, slots, limit_s):
    """jobs: (key, argv). Yields Ended as they come; closing the generator ends those that still run."""
    waiting, running = deque(jobs), []
    try:
        while waiting or running:
            while waiting and len(running) < slots:
                running.append(_Job(*waiting.popleft(), limit_s))
            ended = [job for job in running if job.is_over()]
            if not ended:
                time.sleep(POLL_S)
            for job in ended:
                running.remove(job)
                yield job.result()
    finally:
        for job in running:
            job.process.terminate()
        for job in running:
            stop(job.process)
            job.errors.close()


class _Job:
    def __init__(self, key, argv, limit_s):
        self.key = key
        self.errors = tempfile.TemporaryFile()
        self.started = time.monotonic()
        self._deadline = self.started + limit_s
        # A session of its own: Ctrl-C is for the caller, who ends it in order.
        self.process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors,
            start_new_session=True, preexec_fn=die_with_parent,
        )

    def is_over(self):
        if self.process.poll() is None and time.monotonic() > self._deadline:
            stop(self.process)
        return self.process.poll() is not None

    def result(self):
        self.errors.seek(0)
        messages = self.errors.read().decode("utf-8", "replace").splitlines()
        self.errors.close()
        return Ended(self.key, self.process.returncode, time.monotonic() - self.started, messages)
