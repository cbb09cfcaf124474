"""tt scrape as a command: formats, statuses, live sources."""

import contextlib
import csv
import io
import os
import socket
import subprocess
import threading
import time

import pytest
from paths import ROOT
from synthetic import Builder, experiment

from ttlib.source import Telnet


def good(**how):
    return experiment(lambda level, x: 1000.0 if level == "va" else 900.0, **how)


def record_lines(log):
    return [line for line in log.lines if line.startswith("{")]


def test_jsonl_is_the_records_own_bytes(tt):
    log = good()
    done = tt("scrape", "-", stdin=b"SeaBIOS\r\n" + log.bytes("\r\n"))
    assert done.returncode == 0
    assert done.stdout.decode().splitlines() == record_lines(log)
    # what comes out can go in again
    again = tt("scrape", "-", stdin=done.stdout)
    assert (again.returncode, again.stdout) == (0, done.stdout)


def test_a_file_and_a_pipe_give_the_same(tt, tmp_path):
    path = tmp_path / "serial.log"
    path.write_bytes(good().bytes())
    assert tt("scrape", path).stdout == tt("scrape", "-", stdin=good().bytes()).stdout


def test_losses_are_told_and_are_status_1(tt):
    log = good()
    log.lines = [line for line in log.lines if '"seq":9,' not in line]
    done = tt("scrape", "-", stdin=log.bytes())
    assert done.returncode == 1
    assert b"lost seq 9 (1 of 33 records)" in done.stderr
    assert done.stdout.decode().splitlines() == record_lines(log)


def test_damage_is_told_with_its_line(tt):
    data = good().bytes().replace(b'"block":2', b'"block":3', 1)
    done = tt("scrape", "-", stdin=data)
    assert done.returncode == 1
    number = 1 + next(i for i, line in enumerate(good().lines) if '"block":2' in line)
    assert f"line {number}: damaged record (crc is" in done.stderr.decode()


def test_csv_has_a_row_per_sample(tt):
    log = good(reps=2)
    log.lines[-1:] = []
    log._seq -= 1
    log.record("sample", exp="odd", level="a b,c", block=0, order=0, metric="m", value=None, unit="u", better="none", source="count")
    log.end()
    done = tt("scrape", "--format", "csv", "-", stdin=log.bytes())
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert done.returncode == 0
    assert len(rows) == 9
    assert {r["exp"] for r in rows} == {"bandwidth", "odd"}
    assert (rows[-1]["level"], rows[-1]["value"], rows[-1]["x"]) == ("a b,c", "", "")
    assert all(f'"value":{r["value"]},' in log.bytes().decode() for r in rows[:-1])


def test_ktap_is_the_verdict_lines(tt):
    done = tt("scrape", "--format", "ktap", "-", stdin=good().bytes("\r\n"))
    assert done.returncode == 0
    assert done.stdout.decode().splitlines() == ["KTAP version 1", "1..1", "ok 1 bandwidth"]


def test_ktap_that_contradicts_the_end_record_is_status_1(tt):
    data = good().bytes().replace(b"\nok 1 bandwidth", b"\nnot ok 1 bandwidth")
    done = tt("scrape", "--format", "ktap", "-", stdin=data)
    assert done.returncode == 1
    assert b"verdict lines say 0 passed, 1 failed" in done.stderr


def test_benchstat_has_units_and_a_line_per_sample(tt):
    log = good(reps=2, xs=(4096,))
    log.lines[-1:] = []
    log._seq -= 1
    members = dict(exp="bandwidth", level="va", block=0, order=0, source="tsc")
    log.record("sample", metric="time", value=12.5, unit="ns", better="lower", **members)
    log.record("sample", metric="dist", value=3, unit="pages", better="none", **members)
    log.record("sample", metric="odd", value=4, unit="ns", better="higher", **members)
    log.record("sample", metric="null", value=None, unit="ns", better="lower", **members)
    log.end()
    done = tt("scrape", "--format", "benchstat", "-", stdin=log.bytes())
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "Unit MB/s better=higher"
    assert "Unit ns better=lower" in lines
    assert "Unit odd-ns better=higher" in lines
    assert not any(line.startswith("Unit pages") for line in lines)
    bench = [line.split() for line in lines if line.startswith("Benchmark")]
    assert len(bench) == 7
    assert all(len(words) == 4 and words[1] == "1" for words in bench)
    assert ["BenchmarkBandwidth/level=va/metric=time/source=tsc", "1", "12.5", "ns"] in bench
    assert done.returncode == 1
    assert b"1 samples without a value" in done.stderr


def test_wrong_usage_is_status_2(tt):
    for words in (["/no/such/file"], ["-", "--format", "xml"], [], ["tcp:nowhere"], ["telnet:x:port"]):
        assert tt("scrape", *words).returncode == 2, words
    assert tt("scrape", "tcp:127.0.0.1:1").returncode == 2  # nobody listens there


# ---- live sources --------------------------------------------------------------------------------


def serve(chunks, linger):
    """A TCP server for one client: sends the chunks, keeps the line open until the event is set."""
    listener = socket.create_server(("127.0.0.1", 0))

    def work():
        client, _ = listener.accept()
        with client:
            for chunk in chunks:
                client.sendall(chunk)
                time.sleep(0.01)
            linger.wait(30)
        listener.close()

    threading.Thread(target=work, daemon=True).start()
    return listener.getsockname()[1]


@pytest.fixture
def linger():
    event = threading.Event()
    yield event
    event.set()


def pieces(data, size=500):
    return [data[at : at + size] for at in range(0, len(data), size)]


def test_tcp_is_read_until_the_end_record(tt, linger, tmp_path):
    data = good().bytes("\r\n")
    port = serve(pieces(data), linger)
    done = tt("scrape", f"tcp:127.0.0.1:{port}", "--timeout", "30", "--keep", tmp_path / "kept")
    assert (done.returncode, done.stdout.decode().splitlines()) == (0, record_lines(good()))
    assert (tmp_path / "kept").read_bytes() == data


def test_telnet_negotiation_is_not_log(tt, linger):
    data = good().bytes("\r\n")
    hello = bytes([255, 251, 1, 255, 253, 3, 255, 250, 24, 1, 255, 240])
    port = serve([hello, data[:700], bytes([255, 241]), data[700:]], linger)
    done = tt("scrape", f"telnet:127.0.0.1:{port}", "--timeout", "30")
    assert (done.returncode, done.stdout.decode().splitlines()) == (0, record_lines(good()))


def test_a_silent_live_source_ends_at_the_time_limit(tt, linger):
    port = serve([good().bytes()[:900]], linger)
    done = tt("scrape", f"tcp:127.0.0.1:{port}", "--timeout", "1")
    assert done.returncode == 1
    assert b"time limit" in done.stderr
    assert b"no end record" in done.stderr


def test_telnet_answers_no_to_every_option():
    telnet = Telnet()
    text, answer = telnet.feed(bytes([255, 251, 1, 255, 253, 3, 65, 255, 255, 255]))
    assert (text, answer) == (b"A\xff", bytes([255, 254, 1, 255, 252, 3]))
    assert telnet.feed(bytes([250, 24, 255, 255, 1, 255, 240, 66])) == (b"B", b"")


def opened_by(pid):
    """Paths behind a process' descriptors; one that closes meanwhile is none."""
    found = set()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            found.add(os.readlink(f"/proc/{pid}/fd/{fd}"))
    return found


def test_serial_line_is_read_until_the_end_record():
    pytest.importorskip("serial")
    master, slave = os.openpty()
    process = subprocess.Popen(
        [ROOT / "tools" / "tt", "scrape", os.ttyname(slave), "--baud", "38400", "--timeout", "30"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 20
    while os.ttyname(slave) not in opened_by(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.5)  # a serial port forgets what came before it was opened and set up
    for piece in pieces(good().bytes("\r\n"), 200):
        os.write(master, piece)
        time.sleep(0.002)
    out, err = process.communicate(timeout=40)
    os.close(master)
    os.close(slave)
    assert (process.returncode, out.decode().splitlines()) == (0, record_lines(good())), err


def test_ctrl_c_on_a_live_source_still_tells_what_is_missing(linger):
    port = serve([Builder().bytes()], linger)
    process = subprocess.Popen(
        [ROOT / "tools" / "tt", "scrape", f"tcp:127.0.0.1:{port}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert b'"tt":"boot"' in process.stdout.readline()
    process.send_signal(2)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert b"interrupted" in err
    assert b"no end record" in err
