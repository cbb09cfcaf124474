"""The scanner: which bytes are records, and what becomes of those that are not quite."""

import pytest
from synthetic import Builder, record

from ttlib.log import ranges, read_log
from ttlib.records import Broken, Line, Record, Scanner, parse_record


def scan(data, step=None):
    scanner = Scanner()
    step = step or len(data) or 1
    found = []
    for at in range(0, len(data), step):
        found += scanner.feed(data[at : at + step])
    return found + scanner.close()


def records(data, **how):
    return [i.text for i in scan(data, **how) if isinstance(i, Record)]


A = record("sample", 1, exp="e", value=1.5)
B = record("sample", 2, exp="e", value=2.5)


def test_crc_is_zlibs_over_the_bytes_before_it():
    # computed with `printf '{"tt":"note","seq":7,"text":"hi"' | gzip | tail -c8 | od -An -tx4 -N4`
    line = '{"tt":"note","seq":7,"text":"hi","crc":"873bf59e"}'
    assert record("note", 7, text="hi") == line
    assert isinstance(parse_record(line), Record)


def test_intact_record_has_kind_seq_and_members():
    found = parse_record(A)
    assert (found.kind, found.seq, found.fields["value"]) == ("sample", 1, 1.5)


@pytest.mark.parametrize(
    "damaged",
    [
        A.replace("1.5", "1.6"),
        A.replace('"seq":1', '"seq":2'),
        A[:-2] + 'f"}' if A[-3] != "f" else A[:-3] + '0"}',
        A[:-1],
        A[1:],
        A.replace(",", ",,", 1),
        A.upper(),
    ],
)
def test_damaged_record_is_broken(damaged):
    assert isinstance(parse_record(damaged), Broken)
    assert records(damaged.encode() + b"\n") == []


@pytest.mark.parametrize(
    "inside, why",
    [
        ('{"tt":"x","seq":0,"v":NaN', "NaN"),
        ('{"tt":"x","seq":0,"v":Infinity', "Infinity"),
        ('{"tt":"x","seq":0,"v":1,"v":2', "twice"),
        ('{"tt":"x","v":1', "seq"),
        ('{"tt":"x","seq":-1', "seq"),
        ('{"tt":"x","seq":true', "seq"),
        ('{"tt":"x","seq":0,"v":01', "crc is right"),
    ],
)
def test_right_crc_does_not_excuse_wrong_json(inside, why):
    import zlib

    line = f'{inside},"crc":"{zlib.crc32(inside.encode()):08x}"}}'
    found = parse_record(line)
    assert isinstance(found, Broken)
    assert why in found.why


@pytest.mark.parametrize("step", [1, 2, 3, 7, 64, 1000])
def test_chunking_does_not_matter(step):
    data = f"noise\r\n{A}\r\n# text\r\n{B}\r\n".encode()
    assert records(data, step=step) == [A, B]
    assert [i.text for i in scan(data, step=step) if isinstance(i, Line)] == ["noise", "# text"]


@pytest.mark.parametrize(
    "data",
    [
        f"{A}\n{B}\n",
        f"{A}\r\n{B}\r\n",
        f"{A}\n\r{B}\n\r",
        f"\x1b[2J\x1b[1;1H{A}\x1b[0m\r\n\x1b]0;title\x07{B}\r\n",
        f"SeaBIOS (version 1.16)\r\nBooting from ROM..{A}\r\n{B}",
        f"{A}{B}\n",
        f"{A}PCI: 00:1f.2{B}\n",
        f"{A[:9]}\x1b[31m{A[9:]}\n{B}\n",
        f"{A[:40]}\r\n{A[40:]}\r\n{B}\r\n",
        "\n".join([A[:20], A[20:40], A[40:], B]),
        f"{A[:30]}{A}\n{B}\n",
        f"{A[:30]}\nok 1 x\n{A}\n{B}\n",
        f"\x00\x00{A}\n\xff\xfe{B}\n",
    ],
)
def test_noise_around_and_between_is_tolerated(data):
    assert records(data.encode("latin-1")) == [A, B]


def test_cut_record_does_not_take_the_lines_behind_it_along():
    found = scan(f"{A[:30]}\nok 1 x\n# y\n{B}\n".encode())
    assert [i.text for i in found if isinstance(i, Line)] == ["ok 1 x", "# y"]
    assert [i.text for i in found if isinstance(i, Broken)] == [A[:30]]
    assert [i.text for i in found if isinstance(i, Record)] == [B]


def test_cut_last_record_is_broken():
    found = scan(f"{A}\n{B[:-5]}".encode())
    assert [type(i) for i in found] == [Record, Broken]


def test_a_record_start_without_end_is_given_up_in_bounded_space():
    scanner = Scanner()
    scanner.feed(b'{"tt":"x\n')
    found = []
    for _ in range(20):
        found += scanner.feed(b"\n")
    assert isinstance(found[0], Broken)


def test_line_numbers_point_at_the_place():
    found = scan(f"one\n{A}\n{A.replace('1.5', '9.5')}\n".encode())
    assert [i.line for i in found] == [1, 2, 3]


def whole(**members):
    log = Builder(**members)
    for value in range(5):
        log.record("sample", exp="e", value=value)
    return log.end()


def test_whole_log_has_no_complaints():
    assert read_log(whole().bytes()).complaints() == []


def test_lost_records_are_named_by_number():
    log = whole()
    del log.lines[2:4], log.lines[3]
    complaints = read_log(log.bytes()).complaints()
    assert complaints == ["lost seq 2-3, 5 (3 of 9 records)"]


def test_lost_first_record_is_named():
    log = whole()
    del log.lines[0]
    assert "lost seq 0 (1 of 9 records)" in read_log(log.bytes()).complaints()


def test_cut_log_has_no_end():
    log = whole()
    del log.lines[4:]
    assert read_log(log.bytes()).complaints() == ["no end record: the log stops after seq 3"]


def test_repeated_record_counts_once():
    log = whole()
    log.lines.insert(3, log.lines[3])
    found = read_log(log.bytes())
    assert found.complaints() == []
    assert (len(found.boots[0].records), found.boots[0].repeated) == (9, 1)


def test_two_boots_in_one_log_stay_apart():
    data = whole(cmdline="a").bytes() + whole(cmdline="b").bytes()
    log = read_log(data)
    assert [b.facts["cmdline"] for b in log.boots] == ["a", "b"]
    assert log.complaints() == []


def test_the_same_boot_twice_is_two_boots():
    assert len(read_log(whole().bytes() * 2).boots) == 2


def test_a_boot_without_its_beginning_does_not_fill_another_ones_gap():
    first, second = whole(), whole()
    del first.lines[3:]
    second.lines = second.lines[2:]
    second.lines[0] = record("sample", 2, exp="other", value=77)
    log = read_log(first.bytes() + second.bytes())
    assert len(log.boots) == 2
    assert len(log.complaints()) == 2


def test_empty_input_and_foreign_text_are_no_logs():
    assert "no record" in read_log(b"").complaints()[0]
    assert "no record" in read_log(b"hello\nworld\n").complaints()[0]


def test_a_newer_grammar_is_refused():
    assert "grammar v=2" in read_log(whole(v=2).bytes()).complaints()[0]


def test_a_command_line_in_parts_is_put_together_or_unknown():
    log = whole(cmdline="run=list reps=3")
    assert read_log(log.bytes()).boots[0].facts["cmdline"] == "run=list reps=3"
    del log.lines[2]
    assert "cmdline" not in read_log(log.bytes()).boots[0].facts


def test_ranges():
    assert ranges([]) == ""
    assert ranges([5, 1, 2, 3, 9]) == "1-3, 5, 9"
