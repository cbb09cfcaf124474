"""The ways to boot: GRUB on BIOS and UEFI, our EFI loader, QEMU's -kernel; from little memory to much,
without a serial port, with a screen; the menu of the ISO."""

import json
import os
import re
import shutil
import socket
import struct
import subprocess
import time
import zlib

import pytest

from boots import ARCH
from paths import ROOT
from test_elf import KERNEL, moved
from ttlib import media, qemu
from ttlib.run import boot, judge, start, stop

pytestmark = pytest.mark.skipif(ARCH != "x86_64", reason="the ways to boot x86_64")

OUT = ROOT / "build/x86_64"
ISO = OUT / "tintype.iso"
LOADER = OUT / "esp/EFI/BOOT/BOOTX64.EFI"
LOADER_EMBED = OUT / "tintype.efi"
MENU = ROOT / "boot/grub.cfg"

WAYS = {"kernel": "pvh", "bios": "multiboot2", "uefi": "multiboot2", "efi": "efi"}

# Working sets of 4 to 256 KiB: a second, where the default's take half a minute.
QUICK = "run=bandwidth alloc=buddy,va page_color=64,2 reps=2"


def slow(*values):
    """For what takes UEFI's 5 s once more and shows nothing new on most days."""
    return pytest.param(*values, marks=pytest.mark.long)


def run_way(way, cmdline, mem="256M", limit_s=90, kernel=KERNEL, **more):
    machine = qemu.Machine(boot=way, kernel=str(kernel), cmdline=cmdline, mem=mem, **more)
    log, status, late = boot(machine, limit_s)
    assert not late, "time limit reached"
    return log, status


def good(log, status):
    assert judge(log, "x86_64", status) == []
    return log.boots[0]


def text_of(log):
    return "\n".join(line.text for line in log.lines)


# ---- four ways, one result ---------------------------------------------------------------------

# What differs between boots of the same experiment by its nature.
TIMES = ("seq", "crc", "value", "mean", "s", "median", "min", "max", "diff", "lo", "hi", "verdict", "zero")


def without_times(boot_log, kind):
    return [{k: v for k, v in r.fields.items() if k not in TIMES} for r in boot_log.of(kind)]


def compare_ways(ways, cmdline, mem, limit_s):
    boots = {}
    for way in ways:
        boots[way] = good(*run_way(way, cmdline, mem, limit_s))
        assert boots[way].facts["way"] == WAYS[way]
        assert boots[way].facts["cmdline"] == f"{cmdline} exit=qemu"
    first = boots[ways[0]]
    assert len(first.of("experiment")) > 4
    for kind in ("experiment", "sample", "summary"):
        reference = without_times(first, kind)
        assert reference
        for way in ways[1:]:
            assert without_times(boots[way], kind) == reference, f"{kind} records by {way}"
    return boots


def test_four_ways_give_the_same_records():
    compare_ways(list(WAYS), f"{QUICK} subject=32M", "256M", 90)


@pytest.mark.long
def test_a_preset_by_four_ways():
    compare_ways(list(WAYS), "run=demo subject=128M reps=2", "512M", 300)


def test_words_with_blanks_and_quotes_arrive():
    """The same parse, not the same text: GRUB moves the quotes."""
    cmdline = 'run="list" "reps=2" seed=0x10'
    for way in ("kernel", "bios", "efi"):
        good(*run_way(way, cmdline))
    log, status = run_way("bios", 'run=list reps="2 3"')
    assert status == 35
    assert "reps=2 3" in text_of(log)


# ---- the ISO -----------------------------------------------------------------------------------


def test_iso_is_slim_and_boots_both_platforms():
    assert ISO.stat().st_size < 6_000_000
    report = subprocess.run(["xorriso", "-indev", ISO, "-report_el_torito", "plain"], capture_output=True, text=True)
    images = [line for line in report.stdout.splitlines() if line.startswith("El Torito boot img")]
    assert any(" BIOS " in line for line in images) and any(" UEFI " in line for line in images)


def test_iso_that_lacks_a_platform_is_refused(tmp_path):
    """grub-mkrescue without the modules for UEFI says nothing: the script has to."""
    fake = tmp_path / "grub-mkrescue"
    fake.write_text("#!/bin/sh\nexec /usr/bin/grub-mkrescue -d /usr/lib/grub/i386-pc \"$@\"\n")
    fake.chmod(0o755)
    out = tmp_path / "x.iso"
    done = subprocess.run(["sh", ROOT / "boot/iso.sh", KERNEL, MENU, out], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert done.returncode == 1
    assert "does not boot by UEFI" in done.stderr
    assert not out.exists() and not list(tmp_path.glob("*.new"))


def disk_of(tmp_path, cmdline):
    """The ISO as `dd` leaves it on a larger disk, with what was there before behind it."""
    iso = media.make_iso(str(KERNEL), media.grub_config(cmdline), str(tmp_path / "run.iso"))
    disk = tmp_path / "disk"
    disk.write_bytes(b"\xa5" * (16 << 20))
    subprocess.run(["dd", f"if={iso}", f"of={disk}", "conv=notrunc", "bs=1M", "status=none"], check=True)
    return disk


@pytest.mark.parametrize("way", ["bios", slow("uefi")])
def test_iso_written_to_a_disk_boots(tmp_path, way):
    disk = disk_of(tmp_path, "run=list exit=qemu")
    argv = machine_argv(media.firmware(way), ["-drive", f"file={disk},format=raw,if=ide"])
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=90)
    assert done.returncode == 33, done.stdout[-2000:]
    assert b'"way":"multiboot2"' in done.stdout


# ---- machines ----------------------------------------------------------------------------------


def machine_argv(*parts, serial="stdio", mem="256M"):
    argv = ["qemu-system-x86_64", "-M", "q35", "-cpu", "max", "-m", mem, "-nodefaults", "-display", "none",
            "-serial", serial, "-no-reboot", "-device", "isa-debug-exit,iobase=0xf4,iosize=1"]
    for part in parts:
        argv += part
    return argv


@pytest.mark.parametrize("mem", ["40M", "64M", "1034M", "3G", "4G", "5G", "16G"])
def test_any_size_of_memory(mem):
    found = good(*run_way("kernel", QUICK, mem))
    megabytes = int(mem[:-1]) << (10 if mem[-1] == "G" else 0)
    pages = found.of("memory", what="total")[0].fields["ram_pages"]
    own = found.of("memory", what="own")[0].fields
    total = pages * 4096 + int(own["end"], 16) - int(own["start"], 16)
    assert (megabytes - 4) << 20 <= total <= megabytes << 20


@pytest.mark.long
@pytest.mark.parametrize("way, mem", [("bios", "40M"), ("bios", "3G"), ("bios", "16G"), ("uefi", "64M"), ("uefi", "1034M"),
                                      ("uefi", "5G"), ("efi", "64M"), ("efi", "4G"), ("efi", "16G")])
def test_any_size_of_memory_by_any_way(way, mem):
    good(*run_way(way, QUICK, mem))


@pytest.mark.parametrize("mem, test, why", [("8M", "memory", "too little memory: no 8 MiB in one piece"),
                                            ("12M", "bandwidth", "subject: ")])
def test_too_little_memory_is_an_error_in_words(mem, test, why):
    log, status = run_way("kernel", QUICK, mem)
    assert status == 35
    assert f"not ok 1 {test} # {why}" in text_of(log)


@pytest.mark.parametrize("way", ["kernel", "bios", slow("uefi"), "efi"])
def test_no_serial_port_at_all(way):
    machine = qemu.Machine(boot=way, kernel=str(KERNEL), cmdline="run=list", serial=False)
    process = start(machine, stdout=subprocess.PIPE)
    try:
        assert process.wait(90) == 33
        assert process.stdout.read() == b""
    finally:
        stop(process)
        process.stdout.close()


# ---- our EFI loader ----------------------------------------------------------------------------


def run_volume(folder, kernel=KERNEL, cmdline="", modules=(), extra=()):
    volume = media.make_volume(str(kernel), cmdline, str(folder / "volume"), modules)
    return run_uefi(["-drive", f"if=virtio,format=raw,readonly=on,file=fat:{volume}"], extra)


def run_uefi(*parts, limit_s=90):
    """To the kernel's end, or, when the loader gives up, to the firmware's shell."""
    process = subprocess.Popen(machine_argv(media.firmware("uefi"), ["-net", "none"], *parts), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE)
    text, deadline = b"", time.monotonic() + limit_s
    os.set_blocking(process.stdout.fileno(), False)
    try:
        while time.monotonic() < deadline:
            text += process.stdout.read() or b""
            if process.poll() is not None or b"tintype: " in text and b"\n" in text.split(b"tintype: ")[-1]:
                break
            time.sleep(0.05)
        text += process.stdout.read() or b""
        return process.poll(), text.decode(errors="replace")
    finally:
        stop(process)
        process.stdout.close()


@pytest.fixture
def at_loader(tmp_path):
    """A kernel beside the loader, as media.make_volume looks for it."""
    folder = tmp_path / "build"
    shutil.copytree(OUT / "esp", folder / "esp")

    def put(data):
        (folder / "kernel.elf").write_bytes(data)
        return folder / "kernel.elf"

    return put


def test_loader_hands_a_module_over(tmp_path):
    data = os.urandom(300_001)
    module = tmp_path / "module.bin"
    module.write_bytes(data)
    status, text = run_volume(tmp_path, cmdline="run=selftest exit=qemu",
                              modules=[(module, f"crc={zlib.crc32(data):08x} two words")])
    assert status == 33, text
    assert re.search(r"^ *ok \d+ modules\r?$", text, re.M), text
    assert "two words" in text


def test_loader_with_the_kernel_inside_and_load_options():
    status, text = run_uefi(["-kernel", str(LOADER_EMBED), "-append", "run=list exit=qemu"])
    assert status == 33, text
    assert "Tintype EFI loader, load options" in text


def test_loader_finds_another_place_when_the_firmware_owns_ours(tmp_path, at_loader):
    """OVMF keeps ACPI NVS at 8 MiB: a kernel linked to lie there has to be moved."""
    by = 0x600000
    image = bytearray(moved(KERNEL.read_bytes(), by))
    header = image.index(struct.pack("<I", 0xE85250D6))
    entry = image.index(struct.pack("<HHI", 9, 1, 12), header) + 8
    struct.pack_into("<I", image, entry, struct.unpack_from("<I", image, entry)[0] + by)
    status, text = run_volume(tmp_path, at_loader(image), "run=selftest exit=qemu")
    assert status == 33, text
    assert re.search(r'"806000-808000 nvs"', text), "not where OVMF had it: the test proves nothing"
    assert not re.search(r'"800000-[0-9a-f]+ kernel"', text)


@pytest.mark.long
def test_grub_finds_another_place_too(tmp_path):
    by = 0x600000
    kernel = tmp_path / "kernel.elf"
    kernel.write_bytes(moved(KERNEL.read_bytes(), by))
    log, status = run_way("uefi", "run=selftest", kernel=kernel)
    good(log, status)


@pytest.mark.parametrize("damage, why", [
    slow(lambda image: b"", "kernel: too short for an ELF file"),
    slow(lambda image: b"MZ" + image[2:], "kernel: not an ELF file"),
    (lambda image: image[:100_000], "kernel: a segment lies outside of the file: it was cut"),
    slow(lambda image: image.replace(struct.pack("<I", 0xE85250D6), b"gone"), "kernel: no Multiboot2 header"),
])
def test_loader_says_what_is_wrong_with_a_kernel(tmp_path, at_loader, damage, why):
    status, text = run_volume(tmp_path, at_loader(damage(KERNEL.read_bytes())), "exit=qemu")
    assert f"tintype: {why}" in text
    assert '"tt":"boot"' not in text


@pytest.mark.long
def test_loader_says_what_it_does_not_find(tmp_path):
    volume = tmp_path / "volume"
    (volume / "EFI/BOOT").mkdir(parents=True)
    shutil.copy(LOADER, volume / "EFI/BOOT")
    drive = ["-drive", f"if=virtio,format=raw,readonly=on,file=fat:{volume}"]
    assert "tintype: \\tintype.elf: cannot be read (Not Found)" in run_uefi(drive)[1]
    (volume / "tintype.cfg").write_bytes("run=list".encode("utf-16"))
    assert "tintype: \\tintype.cfg: not ASCII text (UTF-16, perhaps)" in run_uefi(drive)[1]
    (volume / "tintype.cfg").write_text("module \\nothing.bin\n")
    shutil.copy(KERNEL, volume / "tintype.elf")
    assert "tintype: \\nothing.bin: cannot be read (Not Found)" in run_uefi(drive)[1]


# ---- menu and screen ---------------------------------------------------------------------------


LATE_S = 120  # a firmware's way to a menu takes up to 20 s on an idle machine


class Monitor:
    """QEMU with a monitor (QMP) on a socket: keys to the screen's keyboard, and pictures of the screen."""

    def __init__(self, folder, *parts, serial="none"):
        path, self.picture = folder / "monitor", folder / "screen.ppm"
        path.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            machine_argv(["-vga", "std", "-qmp", f"unix:{path},server=on,wait=off"], *parts, serial=serial),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + LATE_S
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LATE_S)
        while True:
            try:
                self.socket.connect(str(path))
                break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        self.lines = self.socket.makefile("r")
        assert "QMP" in json.loads(self.lines.readline())
        self.say("qmp_capabilities")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()
        stop(self.process)

    def say(self, command, **arguments):
        """Returns when it is done."""
        self.socket.sendall(json.dumps({"execute": command, "arguments": arguments}).encode())
        while "event" in (answer := json.loads(self.lines.readline())):
            pass
        assert "return" in answer, answer

    def type(self, text):
        names = {" ": "spc", "=": "equal", "\n": "ret"}
        for character in text:
            key = {"type": "qcode", "data": names.get(character, character)}
            self.say("send-key", keys=[key], **{"hold-time": 20})
            time.sleep(0.07)  # GRUB polls

    def screen(self):
        """Width and height in pixels, and their colours."""
        self.say("screendump", filename=str(self.picture))
        data = self.picture.read_bytes()
        head = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", data)
        width, height, pixels = int(head[1]), int(head[2]), data[head.end():]
        assert len(pixels) == 3 * width * height
        return width, height, pixels

    def wait_for_menu(self, there):
        """Until GRUB's menu is there, or is no longer."""
        deadline = time.monotonic() + LATE_S
        while shows_menu(*self.screen()) != there:
            assert time.monotonic() < deadline, "GRUB's menu never " + ("came" if there else "went away")
            time.sleep(0.3)


def shows_menu(width, height, pixels):
    """A bar across the screen (UEFI's console with a serial port takes three fifths of it) is the highlighted
    entry, drawn after the frame, which is of thin lines."""
    rows = [pixels[3 * width * y:3 * width * (y + 1)] for y in range(height // 2)]
    return sum(row.count(0) < 0.6 * len(row) for row in rows) >= 8


def font():
    text = (ROOT / "boot/x86_64/font.c").read_text()
    rows = re.findall(r"\{'(.)', \{([^}]*)\}\}", text)
    return {tuple(int(n, 0) for n in numbers.split(",")): character for character, numbers in rows}


def read_screen(width, height, pixels):
    """The first lines in the kernel's own font. Cells of 6 by 10 dots, two pixels a dot, from the margin on
    (boot/x86_64/screen.c)."""
    if height < 2 * 10 * 5:
        return ""
    glyphs, scale, lines = font(), 2, []

    def dot(x, y):
        return pixels[3 * (y * scale * width + x * scale)] == 255

    for row in range(1, 5):
        line = ""
        for column in range(2, width // (6 * scale) - 2):
            bits = tuple(sum(dot(6 * column + x, 10 * row + y) << (4 - x) for x in range(5)) for y in range(7))
            line += glyphs.get(bits, "?")
        lines.append(line.strip())
    return " ".join(lines)


@pytest.mark.parametrize("way", ["bios", slow("uefi"), "efi"])
def test_the_screen_says_where_the_results_go(tmp_path, way):
    if way == "efi":
        volume = media.make_volume(str(KERNEL), "run=list", str(tmp_path / "volume"))
        medium = ["-drive", f"if=virtio,format=raw,readonly=on,file=fat:{volume}"]
    else:
        medium = ["-cdrom", media.make_iso(str(KERNEL), media.grub_config("run=list"), str(tmp_path / "run.iso"))]
    for serial in ("null", "none"):
        words, deadline = "", time.monotonic() + LATE_S
        with Monitor(tmp_path, media.firmware(way if way == "bios" else "uefi"), medium, serial=serial) as monitor:
            while "SERIAL PORT" not in words and time.monotonic() < deadline:
                words = read_screen(*monitor.screen())
                time.sleep(0.3)
        where = "TTYS0,115200." if serial == "null" else "NONE (TTYS0 DOES NOT ANSWER)."
        assert words.startswith(f"TINTYPE IS RUNNING. ITS RESULTS GO TO THE SERIAL PORT: {where}"), words


def entries():
    """Command lines of the menu."""
    return [line.split(None, 1)[1] for line in MENU.read_text().splitlines() if line.strip().startswith("tintype run=")]


def test_every_entry_of_the_menu_is_a_command_line_that_the_kernel_takes():
    assert len(entries()) > 5
    for entry in entries():
        log, status = run_way("kernel", f"{entry} help")
        good(log, status)


def test_every_preset_has_an_entry():
    log, status = run_way("kernel", "run=list")
    good(log, status)
    presets = re.findall(r"^#   (\w+)", text_of(log).split("# presets (run=):\n")[1].split("\n# ")[0], re.M)
    assert presets
    for preset in presets:
        assert any(re.match(rf"run={preset}\b", entry) for entry in entries()), f"boot/grub.cfg has no entry for {preset}"


@pytest.mark.parametrize("way", ["bios", slow("uefi")])
@pytest.mark.parametrize("serial", ["null", "none"])
def test_a_command_line_can_be_typed_into_the_menu(tmp_path, way, serial):
    """With a serial port, and without one: GRUB must not stop there. The menu's hot key, then the words."""
    with Monitor(tmp_path, media.firmware(way), ["-cdrom", str(ISO)], serial=serial) as monitor:
        monitor.wait_for_menu(True)
        monitor.type("t")
        monitor.wait_for_menu(False)
        monitor.type("run=list exit=qemu\n")
        assert monitor.process.wait(LATE_S) == 33


@pytest.mark.long
@pytest.mark.parametrize("way", ["bios", "uefi"])
def test_the_menu_boots_its_first_entry_by_itself(tmp_path, way):
    log = tmp_path / "serial"
    with Monitor(tmp_path, media.firmware(way), ["-cdrom", str(ISO)], serial=f"file:{log}"):
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline and b'"what":"plan"' not in (log.read_bytes() if log.exists() else b""):
            time.sleep(0.2)
    text = log.read_bytes()
    assert b'"cmdline":"run=demo"' in text
    assert b'"exp":"bandwidth","what":"plan"' in text
