"""A sweep's results: a directory with every boot's raw log, and index.jsonl, which says what each is.

The index has one JSON object a line and boot: log, parameters, status (ok, failed, pending), verdict,
exit, why, seconds, started, inputs, command. It is replaced as a whole whenever a boot has ended, so a
sweep that is killed leaves one that is right.
"""

import contextlib
import fcntl
import json
import os

from . import matrix
from .errors import Usage
from .load import load

INDEX = "index.jsonl"


def is_results(path):
    """A sweep's directory, or something else than a directory? Usage for another directory."""
    if os.path.isdir(path) and not os.path.exists(os.path.join(path, INDEX)):
        raise Usage(f"{path}: a directory, not a log, and without the {INDEX} of tt sweep")
    return os.path.isdir(path)


@contextlib.contextmanager
def locked(folder):
    """One sweep at a time writes to a directory: Usage when another one does. Makes the directory."""
    try:
        os.makedirs(folder, exist_ok=True)
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise Usage(f"{folder}: another tt sweep is at work there") from error
    except OSError as error:
        raise Usage(f"{folder}: {error.strerror}") from error
    try:
        yield
    finally:
        os.close(fd)


class Results:
    def __init__(self, folder):
        self.folder = folder
        self.entries = {}  # log's name -> entry, in order of the index
        try:
            with open(os.path.join(folder, INDEX), encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    self._take(json.loads(line), number)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise Usage(f"{folder}: {error.strerror}") from error
        except ValueError as error:
            raise Usage(f"{folder}/{INDEX}: damaged: {error}") from error

    def _take(self, entry, number):
        if not isinstance(entry, dict) or not {"log", "parameters", "status", "inputs"} <= entry.keys():
            raise Usage(f"{self.folder}/{INDEX}: line {number} describes no boot")
        # An axis that this index is too old for was at its default.
        entry["parameters"] = {k: entry["parameters"].get(k, axis.default) for k, axis in matrix.AXES.items()}
        self.entries[entry["log"]] = entry

    def path(self, log):
        return os.path.join(self.folder, log)

    def save(self):
        new = self.path(INDEX + ".new")
        with open(new, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(entry) + "\n" for entry in self.entries.values())
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path(INDEX))

    def is_good(self, name):
        """Has this boot run, and is its log still there and whole? What the index says is not enough."""
        entry = self.entries.get(name)
        if not entry or entry["status"] != "ok" or not os.path.exists(self.path(name)):
            return False
        try:
            log = load(self.path(name))
        except Usage:
            return False
        return not log.complaints() and len(log.boots) == 1 and log.boots[0].end.get("verdict") == "ok"
