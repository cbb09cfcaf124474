"""From the bytes of a serial line to records that are known to be intact.

A record is one JSON object that starts with {"tt":"KIND","seq":N and ends with
,"crc":"xxxxxxxx"}, zlib's CRC-32 of the bytes before (HACKING.md, "The log"). The Scanner takes
bytes as they come and hands out records, other lines, and what was once a record. It looks for
records anywhere in a line, since a lost line end joins two, and across line ends, since some
terminals wrap; the CRC decides, so that guessing can lose a record but never change a number.
"""

import json
import re
import zlib
from dataclasses import dataclass

RECORD_MAX = 512  # bytes of a whole record (kernel/core/record.h)
WRAPS_MAX = 16  # lines that a terminal of 40 columns makes of one, and a few

START = '{"tt":"'
TAIL = re.compile(r',"crc":"([0-9a-f]{8})"\}')

# Terminal control that firmware and boot menus mix in: CSI, OSC, other escapes, single controls.
CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\x00-\x09\x0b-\x1f\x7f]"
)


@dataclass(frozen=True)
class Record:
    kind: str
    seq: int
    fields: dict  # every member, "tt", "seq" and "crc" included
    text: str  # the bytes that the CRC vouches for, and the CRC itself
    line: int  # where it starts in the input, from 1


@dataclass(frozen=True)
class Line:
    text: str  # anything that is no record, without line end and control bytes
    line: int


@dataclass(frozen=True)
class Broken:
    text: str
    why: str
    line: int


def _no_constant(name):
    raise ValueError(f"{name} is no number")


def _no_repeats(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member stands twice")
    return members


def parse_record(text, line=0):
    """The Record in exactly `text`, or a Broken that says why it is none."""
    tail = TAIL.search(text)
    if not text.startswith(START) or not tail or tail.end() != len(text):
        return Broken(text, "cut", line)
    crc = zlib.crc32(text[: tail.start()].encode("latin-1"))
    if f"{crc:08x}" != tail.group(1):
        return Broken(text, f"crc is {crc:08x}, the line says {tail.group(1)}", line)
    try:
        fields = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_repeats)
    except ValueError as error:
        return Broken(text, f"crc is right, but: {error}", line)
    seq = fields.get("seq")
    if list(fields)[:2] != ["tt", "seq"] or type(seq) is not int or seq < 0:
        return Broken(text, "crc is right, but the second member is no seq", line)
    return Record(fields["tt"], seq, fields, text, line)


class Scanner:
    """feed() it bytes as they arrive, close() it at the end; both return what became known."""

    def __init__(self):
        self._bytes = b""  # an unfinished line
        self._lines = 0  # finished lines so far
        self._open = []  # (text, line): a record's beginning, and the lines since

    def feed(self, data):
        parts = (self._bytes + data).split(b"\n")
        self._bytes = parts.pop()
        found = []
        for part in parts:
            self._lines += 1
            found += self._line(part.decode("latin-1"))
        return found

    def close(self):
        found = []
        if self._bytes:
            self._lines += 1
            found = self._line(self._bytes.decode("latin-1"))
            self._bytes = b""
        while self._open:  # each round settles one line at least
            found += self._give_up()
        return found

    def _line(self, raw):
        return self._text(CONTROL.sub("", raw), self._lines)

    def _text(self, text, line):
        """Takes one cleaned line, or the rest of one."""
        if self._open:
            return self._continue(text, line)
        at = text.find(START)
        if at < 0:
            return [Line(text, line)]
        found = [Line(text[:at], line)] if text[:at].strip() else []
        tail = TAIL.search(text, at)
        after = text.find(START, at + 1)
        if tail and (after < 0 or tail.end() <= after):
            found.append(parse_record(text[at : tail.end()], line))
            end = tail.end()
        elif after >= 0:
            found.append(Broken(text[at:after], "cut", line))
            end = after
        else:
            self._open = [(text[at:], line)]
            return found
        return found + (self._text(text[end:], line) if text[end:].strip() else [])

    def _continue(self, text, line):
        """A record began on an earlier line: does it end here?"""
        so_far = "".join(part for part, _ in self._open)
        tail = TAIL.search(so_far + text, max(0, len(so_far) - 20))
        if tail:
            whole = parse_record((so_far + text)[: tail.end()], self._open[0][1])
            if isinstance(whole, Record):
                self._open = []
                rest = (so_far + text)[tail.end() :]
                return [whole] + (self._text(rest, line) if rest.strip() else [])
        self._open.append((text, line))
        too_long = len(so_far) + len(text) > RECORD_MAX or len(self._open) > WRAPS_MAX
        if tail or START in text or too_long:
            return self._give_up()
        return []

    def _give_up(self):
        """It did not end: its first line is lost, the lines since are lines of their own."""
        (first, line), rest = self._open[0], self._open[1:]
        self._open = []
        found = [Broken(first, "cut", line)]
        for text, number in rest:
            found += self._text(text, number)
        return found
