"""A log damaged at random never yields a wrong number: each record is intact or known to be lost."""

import json
import random

import pytest
from synthetic import experiment

from ttlib.log import read_log

ROUNDS = 1000


def drop_bytes(rng, data):
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice([1, 1, 2, 5, 40, 300]) :]


def double_bytes(rng, data):
    at = rng.randrange(len(data))
    end = at + rng.choice([1, 1, 2, 5, 40, 300])
    return data[:end] + data[at:]


def flip_bits(rng, data):
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def change_digit(rng, data):
    at = rng.choice([i for i, c in enumerate(data) if 48 <= c <= 57] or [0])
    return data[:at] + bytes([rng.choice(b"0123456789")]) + data[at + 1 :]


def join_lines(rng, data):
    at = rng.choice([i for i, c in enumerate(data) if c == 10] or [0])
    return data[:at] + data[at + 1 :]


def insert_noise(rng, data):
    at = rng.randrange(len(data))
    noise = rng.choice([b"\x1b[1;31m", b"\r\nPCI: 00:02.0\r\n", b"\x00", b"\n", b'{"tt":"', bytes([rng.randrange(256)])])
    return data[:at] + noise + data[at:]


def cut_end(rng, data):
    return data[: rng.randrange(len(data))]


DAMAGES = (drop_bytes, double_bytes, flip_bits, change_digit, join_lines, insert_noise, cut_end)


def original():
    return experiment(lambda level, x: 1000.0 if level == "va" else 900.0, reps=6)


def damaged(round_number, data):
    """1 to 6 damages, the choice a function of the round."""
    rng = random.Random(round_number)
    for _ in range(rng.randint(1, 6)):
        data = rng.choice(DAMAGES)(rng, data) or b"\n"
    return data


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_never_a_wrong_number(newline):
    log = original()
    truth = {json.loads(line)["seq"]: line for line in log.lines if line.startswith("{")}
    data = log.bytes(newline)
    lossy = 0
    for number in range(ROUNDS):
        found = read_log(damaged(number, data))
        for boot in found.boots:
            for record in boot.records:
                assert truth[record.seq] == record.text, f"round {number}"
        seen = {r.seq for boot in found.boots for r in boot.records}
        lost = set(truth) - seen
        if lost:
            lossy += 1
            assert found.complaints(), f"round {number}: lost {lost} unsaid"
        if len(found.boots) == 1:
            boot = found.boots[0]
            assert set(boot.missing()) == {n for n in lost if n < boot.last}, f"round {number}"
            assert bool(boot.end) == (boot.last == max(truth)), f"round {number}"
    assert lossy > ROUNDS // 2  # the damages do damage


def test_the_damages_would_fool_a_reader_that_ignores_the_crc():
    log = original()
    truth = {json.loads(line)["seq"]: line for line in log.lines if line.startswith("{")}
    fooled = 0
    for number in range(ROUNDS):
        for line in damaged(number, log.bytes()).decode("latin-1").splitlines():
            try:
                record = json.loads(line)
                wrong = json.loads(truth[record["seq"]]).get("value") != record.get("value")
            except (ValueError, KeyError, TypeError):
                continue
            fooled += wrong
    assert fooled > 10
