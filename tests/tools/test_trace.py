"""tt trace: a fault trace out of a log is the file that the kernel takes, or there is none."""

import struct
import zlib

import pytest
from synthetic import Builder

from ttlib import cli

WORDS = [9, 65537, 3, 1, 0, 65540]


def log_of(words=WORDS, lost=0, parts=2, keep=(0, 1)):
    log = Builder(cmdline="run=faults trace=record")
    half = len(words) // 2
    for part, (first, some) in enumerate(((0, words[:half]), (half, words[half:]))):
        members = dict(trace="faults", events=len(words) // 2, lost=lost, first=first, part=part, parts=parts)
        if part in keep:
            log.record("trace", **members, words=some)
    return log.end().bytes()


def made(tmp_path, data, *words):
    (tmp_path / "log").write_bytes(data)
    status = cli.main(["trace", str(tmp_path / "log"), "-o", str(tmp_path / "out"), *words])
    return status, tmp_path / "out"


def test_the_file_is_header_crc_and_words(tmp_path):
    status, out = made(tmp_path, log_of())
    data = out.read_bytes()
    assert status == 0
    assert struct.unpack_from("<4sII", data) == (b"tTr1", 3, zlib.crc32(data[12:]))
    assert list(struct.unpack("<6I", data[12:])) == WORDS


@pytest.mark.parametrize(
    "data, words, status, why",
    [
        (log_of(keep=(0,)), [], 1, "lost"),
        (log_of(keep=()), [], 2, "no trace in it"),
        (log_of(lost=2), [], 1, "2 events found no room"),
        (log_of(), ["--name", "fault"], 2, "no trace fault; did you mean faults?"),
        (log_of(), ["--boot", "2"], 2, "no boot 2"),
    ],
    ids=["part", "none", "full", "name", "boot"],
)
def test_half_a_trace_is_none(tmp_path, capsys, data, words, status, why):
    found, out = made(tmp_path, data, *words)
    assert found == status
    assert why in capsys.readouterr().err
    assert not out.exists()
