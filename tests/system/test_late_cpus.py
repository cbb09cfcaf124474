"""Processors that do not answer, or too late: QEMU's gdb stub lets only some of them run."""

import re
import socket
import threading
import time

import pytest
from boots import ARCH, KERNEL, LIMIT_S, NOT_OK, boot_machine, machine
from test_elf import symbols_of

ICOUNT = ("-icount", "shift=0,sleep=off", "-rtc", "base=2000-01-01,clock=vm")

alpha = pytest.mark.skipif(ARCH != "alpha", reason="functions of Alpha")
pc = pytest.mark.skipif(ARCH != "x86_64", reason="functions of x86_64")

# The first function that a further CPU runs.
ENTRY = {"x86_64": "start_here", "alpha": "cpu_restarted"}[ARCH]

# Alpha's functions begin with two instructions for $gp, which calls within the image jump over.
PROLOGUE = {"x86_64": 0, "alpha": 8}[ARCH]


class Stub:
    """QEMU's side of gdb's protocol. CPUs are numbered from 0 here, and from 1 there."""

    def __init__(self, path):
        deadline = time.monotonic() + LIMIT_S
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT_S)
        while self.socket.connect_ex(str(path)):
            assert time.monotonic() < deadline, "QEMU opened no socket"
            time.sleep(0.01)
        self.symbols = symbols_of(KERNEL)
        self.unread = b""
        self.ended = False

    def send(self, text):
        self.socket.send(b"$%s#%02x" % (text.encode(), sum(text.encode()) & 0xFF))

    def reply(self):
        """The next packet; "" when QEMU has ended."""
        while not (packet := re.search(rb"\$([^#]*)#..", self.unread)):
            more = self.socket.recv(4096)
            if not more:
                return ""
            self.unread += more
        self.unread = self.unread[packet.end():]
        return packet[1].decode()

    def run(self, cpus, to=None):
        """Lets these CPUs run until one reaches function `to`, or all to the end. Who it was, or None."""
        point = f"1,{self.symbols[to] + PROLOGUE:x},4" if to else ""
        if to:
            self.send(f"Z{point}")
            assert self.reply() == "OK"
        self.send("vCont;" + ";".join(f"c:{cpu + 1:x}" for cpu in cpus))
        stopped = re.match(r"T05thread:([0-9a-f]+);", self.reply())
        if not stopped:
            self.ended = True
            return None
        self.send(f"z{point}")
        assert self.reply() == "OK"
        return int(stopped[1], 16) - 1


def boot_with(script, tmp_path, words, smp, extra=()):
    """Boots while script(stub) says who may run. (Boot, what script returned)."""
    which = machine(words, smp=smp, extra=extra)
    which.gdb = str(tmp_path / "gdb")
    said = []

    def play():
        stub = Stub(which.gdb)
        said.append(script(stub))
        while not stub.ended:
            stub.run(range(smp))

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    done = boot_machine(which)
    thread.join(LIMIT_S)
    return done, said[0]


def left_out(cpu):
    return f"CPU with hardware number {cpu} does not answer: left out"


def cpus(done):
    fields = done.only("machine", what="cpus")
    return fields["found"], fields["running"]


def warnings(done):
    return [note["text"] for note in done.of("note", level="warning")]


@pytest.mark.parametrize("extra", [(), ICOUNT], ids=["threads", "icount"])
@pytest.mark.parametrize("smp, held", [(2, 1), (4, 1), (4, 3)])
def test_a_cpu_that_does_not_answer_is_left_out(tmp_path, smp, held, extra):
    """The others work, and the one that was given up never comes to run the kernel."""

    def script(stub):
        everybody = set(range(smp))
        tried = stub.run(everybody - {held}, "arch_cpus_started")
        return tried, stub.run(everybody, ENTRY)

    done, (tried, entered) = boot_with(script, tmp_path, "run=selftest", smp, extra)
    assert (tried, entered) == (0, None)
    assert done.ok, done.reasons
    assert warnings(done) == [left_out(held)]
    assert cpus(done) == (smp, smp - 1)
    if smp > 2:
        assert not done.verdicts["selftest/cpus"].skipped


def test_too_few_cpus_that_answer_are_an_error(tmp_path):
    done, _ = boot_with(lambda stub: stub.run({0, 1, 3}), tmp_path, "run=list cpus=4", 4)
    assert done.status == NOT_OK
    assert warnings(done) == [left_out(2)]
    assert "only 3 of this machine's 4 CPUs run" in done.text


@alpha
def test_a_cpu_that_answers_too_late_halts(tmp_path):
    """Held back in the kernel's first function, where it has not yet said that it is there."""

    def script(stub):
        first = stub.run(range(4), ENTRY)
        tried = stub.run({0, 2, 3}, "arch_cpus_started")
        halted = stub.run(range(4), "arch_halt")
        return first, tried, halted

    done, ran = boot_with(script, tmp_path, "run=selftest", 4)
    assert ran == (1, 0, 1)
    assert done.ok, done.reasons
    assert warnings(done) == [left_out(1)]
    assert cpus(done) == (4, 3)


@pytest.mark.parametrize("function", [
    pytest.param("clock_join", marks=alpha),
    pytest.param("start_here", marks=[pc, pytest.mark.long]),  # 13 s of polling
])
def test_a_cpu_that_stops_on_its_way_is_a_panic(tmp_path, function):
    """It has said that it is there: it may do anything later."""

    def script(stub):
        return stub.run(range(4), function), stub.run({0, 2, 3})

    done, ran = boot_with(script, tmp_path, "run=list", 4)
    assert ran == (1, None)
    assert done.status == NOT_OK
    assert done.last.end["verdict"] == "panic"
    assert "came, and stopped on its way into the kernel" in done.last.end["reason"]
