"""The log's serial port: the PC's four, others by address, those on PCI, and the one that firmware names."""

import json
import struct
import subprocess
import time

import pytest
from boots import ARCH, QUICK, boot_machine, machine

from ttlib import qemu

pytestmark = pytest.mark.skipif(ARCH != "x86_64", reason="serial ports of the PC")

LOG = ("-chardev", "stdio,id=log")
SEABIOS = ("-bios", "bios-256k.bin")  # unlike qboot, it gives PCI cards their addresses


def isa(port, chardev="log"):
    return ("-device", f"isa-serial,iobase={port:#x},chardev={chardev}")


def swap_serial(argv, *serial):
    at = argv.index("-serial")
    return argv[:at] + list(serial) + argv[at + 2 :]


@pytest.fixture
def with_serial(monkeypatch):
    """Boots with other serial ports than tt gives."""
    plain = qemu.command

    def start(cmdline, *serial):
        monkeypatch.setattr(qemu, "command", lambda m: swap_serial(plain(m), *serial))
        return boot_machine(machine(cmdline), limit_s=30)

    return start


def console(done):
    """Where the log says that it goes; it came, and whole."""
    assert done.ok, f"{done.reasons}\n{done.text[-3000:]}"
    return done.last.facts["console"]


# ---- the PC's ports ----------------------------------------------------------------------------


def test_console_on_the_second_port(with_serial):
    done = with_serial(f"{QUICK} console=ttyS1,9600", "-serial", "null", "-serial", "stdio")
    assert console(done) == "ttyS1,9600"


def test_the_first_port_is_silent_then(with_serial):
    done = with_serial(f"{QUICK} console=ttyS1", "-serial", "stdio", "-serial", "null")
    assert (done.status, done.data) == (33, b"")


@pytest.mark.parametrize("words", ["", "console=ttyS0", "console=none", "console=auto", "console=pci", "console=spcr"])
def test_no_serial_port_at_all_costs_no_more_than_the_log(with_serial, words):
    """Every wait is bounded: the boot runs to its end, and the exit status says how it went."""
    done = with_serial(f"{QUICK} {words}", "-serial", "none")
    assert (done.status, done.data) == (33, b"")
    assert with_serial(f"reps=0 {words}", "-serial", "none").status == 35


@pytest.mark.parametrize(
    "port, words, name",
    [
        (0x3E8, "ttyS2", "ttyS2,115200"),
        (0x2E8, "ttyS3,57600", "ttyS3,57600"),
        (0x2E8, "io:0x2e8,0", "io:0x2e8,0"),
        (0x1A0, "io:0x1a0", "io:0x1a0,115200"),
    ],
)
def test_a_port_by_its_address(with_serial, port, words, name):
    """Of two ports, the named one alone gets the log."""
    done = with_serial(f"{QUICK} console={words}", "-serial", "null", *LOG, *isa(port))
    assert console(done) == name
    other = with_serial(f"{QUICK} console={words}", "-serial", "stdio", "-chardev", "null,id=log", *isa(port))
    assert (other.status, other.data) == (33, b"")


# ---- on PCI ------------------------------------------------------------------------------------


@pytest.mark.parametrize("card", ["pci-serial,chardev=log", "pci-serial-2x,chardev1=log", "pci-serial-4x,chardev1=log"])
def test_the_first_port_of_a_card(with_serial, card):
    done = with_serial(f"{QUICK} console=pci", *SEABIOS, "-serial", "null", *LOG, "-device", card)
    assert console(done).startswith("io:0x")


def test_one_card_of_two(with_serial):
    cards = ("-device", "pci-serial,addr=4,chardev=other", "-device", "pci-serial,addr=6,chardev=log")
    more = (*SEABIOS, "-serial", "null", *LOG, "-chardev", "null,id=other", *cards)
    assert console(with_serial(f"{QUICK} console=pci:00:06.0,9600", *more)).endswith(",9600")
    first = with_serial(f"{QUICK} console=pci", *more)
    assert (first.status, first.data) == (33, b"")
    nothing = with_serial(f"{QUICK} console=pci:00:05.0", *more)
    assert (nothing.status, nothing.data) == (33, b"")


def test_a_card_behind_a_bridge(with_serial):
    bridge = ("-device", "pcie-pci-bridge,id=bridge", "-device", "pci-serial,bus=bridge,addr=1,chardev=log")
    done = with_serial(f"{QUICK} console=pci", *SEABIOS, "-serial", "null", *LOG, *bridge)
    assert console(done).startswith("io:0x")


# ---- named by firmware -------------------------------------------------------------------------


@pytest.fixture
def spcr(tmp_path):
    """QEMU's words for an SPCR table: I/O port, code of the speed."""

    def write(port, speed):
        body = struct.pack("<B3xBBBBQ", 0, 1, 8, 0, 1, port)  # 16550; I/O space, bytes
        body += struct.pack("<BBIBBBBB", 0, 0, 0, speed, 0, 1, 0, 0)  # no interrupt; no parity, one stop bit
        body += struct.pack("<xHHBBBIBI", 0xFFFF, 0xFFFF, 0, 0, 0, 0, 0, 0)  # not on PCI; clock unknown
        assert len(body) == 80 - 36
        (tmp_path / "spcr").write_bytes(body)
        return ("-acpitable", f"sig=SPCR,rev=2,data={tmp_path / 'spcr'}")

    return write


@pytest.mark.parametrize("words", ["", "console=auto", "console=spcr"])
def test_without_ttys0_the_log_goes_where_firmware_says(with_serial, spcr, words):
    done = with_serial(f"{QUICK} {words}", *spcr(0x2F8, 3), "-serial", "none", *LOG, *isa(0x2F8))
    assert console(done) == "io:0x2f8,9600"


def test_a_wrong_console_is_told_there_too(with_serial, spcr):
    done = with_serial("console=ttyS9", *spcr(0x2F8, 7), "-serial", "none", *LOG, *isa(0x2F8))
    assert done.status == 35
    assert "# error: console=ttyS9: no such port" in done.text


def test_with_ttys0_only_spcr_asks_for_firmwares_port(with_serial, spcr):
    ports = (*spcr(0x2F8, 0), *LOG, *isa(0x2F8, "second"))
    first = (*ports, "-serial", "chardev:log", "-chardev", "null,id=second")
    assert console(with_serial(QUICK, *first)) == "ttyS0,115200"
    silent = with_serial(f"{QUICK} console=spcr", *first)
    assert (silent.status, silent.data) == (33, b"")
    second = (*spcr(0x2F8, 0), "-serial", "null", *LOG, *isa(0x2F8))
    assert console(with_serial(f"{QUICK} console=spcr", *second)) == "io:0x2f8,0"
    assert console(with_serial(f"{QUICK} console=spcr,57600", *second)) == "io:0x2f8,57600"


def test_a_table_that_names_nothing_that_answers(with_serial, spcr):
    done = with_serial(QUICK, *spcr(0x2E8, 7), "-serial", "none")
    assert (done.status, done.data) == (33, b"")


# ---- in memory ---------------------------------------------------------------------------------

# QEMU has no x86 machine with a 16550 in memory. Shared memory of a PCI device stands in for one: it shows
# what each register was written last, and its line status register always says that it is empty.
LSR, EMPTY = 5, 0x60


@pytest.fixture
def shared(tmp_path):
    """The file behind the memory, and QEMU's words for the device."""
    path = tmp_path / "registers"
    backend = f"memory-backend-file,id=registers,mem-path={path},size=1M,share=on"
    return path, (*SEABIOS, "-object", backend, "-device", "ivshmem-plain,memdev=registers")


def address_of_bar(words, bar):
    """Where firmware puts this BAR of the only device of class `RAM` (0x0500)."""
    argv = ["qemu-system-x86_64", "-M", "q35", "-m", "256M", "-nodefaults", "-display", "none", "-qmp", "stdio"]
    with subprocess.Popen([*argv, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as qmp:

        def ask(what):
            print(json.dumps({"execute": what}), file=qmp.stdin, flush=True)
            return next(answer["return"] for answer in map(json.loads, qmp.stdout) if "return" in answer)

        try:
            ask("qmp_capabilities")
            deadline = time.monotonic() + 30
            while time.monotonic() < deadline:
                devices = [d for bus in ask("query-pci") for d in bus["devices"] if d["class_info"]["class"] == 0x0500]
                (at,) = [r["address"] for r in devices[0]["regions"] if r["bar"] == bar]
                if 0 < at < 1 << 32:
                    return at
                time.sleep(0.1)
        finally:
            qmp.kill()
    raise AssertionError("firmware gave the device no address")


@pytest.mark.parametrize("kind, stride", [("mmio", 1), ("mmio32", 4)])
def test_registers_in_memory_are_reached_from_the_first_line_to_the_last(with_serial, shared, kind, stride):
    """Before and after the kernel's own map, whose rules hold with them in it."""
    path, words = shared
    path.write_bytes(bytes(1 << 20))
    at = address_of_bar(words, 2)
    registers = bytearray(1 << 20)
    registers[LSR * stride] = EMPTY
    path.write_bytes(registers)
    done = with_serial(f"run=selftest console={kind}:{at:#x}", "-serial", "none", *words)
    assert (done.status, done.data) == (33, b"")
    # The last byte of the log; interrupts off, FIFO on, 8N1, DTR and RTS; the scratch register's last test.
    for register, value in enumerate([ord("\n"), 0, 0x07, 0x03, 0x03, EMPTY, 0, 0xA5]):
        registers[register * stride] = value
    assert path.read_bytes() == registers


def test_a_port_that_stops_in_memory_ends_nothing(with_serial, shared):
    """Its line status register never says that it is empty."""
    path, words = shared
    path.write_bytes(bytes(1 << 20))
    done = with_serial(f"run=list console=mmio:{address_of_bar(words, 2):#x},0", "-serial", "none", *words)
    assert (done.status, done.data) == (33, b"")
    assert path.read_bytes()[:8] == bytes([0, 0, 0x07, 0x03, 0x03, 0, 0, 0xA5])


def test_ram_is_no_port(with_serial):
    """RAM keeps what is written to it, as registers do: the boot does not go on with a hole in it."""
    done = with_serial("run=list console=mmio:0x8000000", "-serial", "none")
    assert (done.status, done.data) == (35, b"")
