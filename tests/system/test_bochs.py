"""Bochs, the second emulator: what QEMU's TCG has not. x2APIC, TSC deadlines, MSRs that are not there.

It brings a desktop's libraries with it, so only `make test-long` installs it.
"""

import shutil
import subprocess

import pytest
from boots import ARCH, KERNEL

from ttlib import ktap

BOCHS = shutil.which("bochs")
SEABIOS = "/usr/share/seabios"

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(ARCH != "x86_64", reason="Bochs is a PC"),
    pytest.mark.skipif(not BOCHS, reason="bochs is not installed: tools/setup.sh bochs"),
]

# The cpuid of a processor of 2019, at a speed that lets clocks be as slow as the emulation.
CONFIG = """
cpu: model=corei7_icelake_u, count={smp}, ips=50000000, reset_on_triple_fault=0, ignore_bad_msrs=0
megs: 256
romimage: file={seabios}/bios.bin
vgaromimage: file={seabios}/vgabios-stdvga.bin
ata0-master: type=cdrom, path={folder}/iso, status=inserted
boot: cdrom
cmosimage: file={folder}/cmos, rtc_init=time0
clock: sync=none, time0=946684800
com1: enabled=1, mode=file, dev={folder}/serial
display_library: {display}
log: {folder}/log
panic: action=fatal
plugin_ctrl: unmapped=1, biosdev=1, speaker=0
"""

# What GRUB does in the place of firmware: APIC base MSR with bits 11 (on), 10 (x2APIC), 8 (this CPU boots).
X2APIC = "wrmsr 0x1b 0xfee00d00"

GRUB = """
set timeout=0
insmod wrmsr
{before}
menuentry t {{
    multiboot2 /boot/tintype.elf {words}
}}
"""


def cmos(smp):
    """What SeaBIOS reads there: memory below and above 1 and 16 MiB, boot from CD, how many CPUs."""
    c = bytearray(128)
    c[0x0A], c[0x0B], c[0x0D], c[0x14] = 0x26, 0x02, 0x80, 0x06
    c[0x15], c[0x16] = 0x80, 0x02
    c[0x17] = c[0x30] = 0xFF
    c[0x18] = c[0x31] = 0xFC
    c[0x35] = (256 - 16) * 16 >> 8
    c[0x38], c[0x3D], c[0x5F] = 1, 3, smp - 1
    return bytes(c)


def boot(folder, words, smp, before):
    """One boot up to its end record; what the serial port said, and Bochs's own log."""
    tree = folder / "tree/boot/grub"
    tree.mkdir(parents=True)
    (tree / "grub.cfg").write_text(GRUB.format(before=before, words=words))
    shutil.copy(KERNEL, folder / "tree/boot/tintype.elf")
    subprocess.run(["grub-mkrescue", "-o", folder / "iso", folder / "tree"], check=True, capture_output=True)
    (folder / "cmos").write_bytes(cmos(smp))
    (folder / "go").write_text("c\n")  # Debian's has the debugger in it, which wants to be told
    display = 'rfb, options="timeout=0"'
    (folder / "config").write_text(CONFIG.format(folder=folder, smp=smp, seabios=SEABIOS, display=display))
    serial = folder / "serial"
    with subprocess.Popen([BOCHS, "-q", "-f", folder / "config", "-rc", folder / "go"], cwd=folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as bochs:
        try:
            for _ in range(600):
                if serial.exists() and b'{"tt":"end"' in serial.read_bytes():
                    break
                try:
                    bochs.wait(0.5)
                    break
                except subprocess.TimeoutExpired:
                    pass
        finally:
            bochs.kill()
    said = serial.read_text(errors="replace") if serial.exists() else ""
    return said.replace("\r", ""), (folder / "log").read_text(errors="replace")


@pytest.mark.parametrize("before", ["", X2APIC], ids=["xapic", "x2apic"])
@pytest.mark.parametrize("smp", [1, 2])
def test_selftests(tmp_path, smp, before):
    """Both CPUs start, every interrupt arrives, and nothing that the emulator would not forgive is done."""
    said, log = boot(tmp_path, "run=selftest", smp, before)
    assert '"verdict":"ok"' in said, said[-2000:] + log[-2000:]
    assert f'"what":"cpus","found":{smp},"running":{smp}' in said
    verdicts = {v.name: v for v in ktap.Verdicts(said.split("\n")).all}
    for name in ("irq_ipi", "irq_timer", "irq_rtc", "irq_uart", "irq_level"):
        verdict = verdicts[f"selftest/{name}"]
        assert verdict.ok and not verdict.skipped
    assert '"what":"timer","source":"deadline"' in said
    # Counters that cpuid states and that trap are told, not died of.
    assert "states performance counters, but using them traps" in said


def test_a_panic_stops_the_other_cpu_and_no_more(tmp_path):
    said, log = boot(tmp_path, "crash=cpu", 2, X2APIC)
    assert '"verdict":"panic"' in said
    assert "# on CPU 1 of 2" in said
    assert "PANIC" not in log  # Bochs's own, on a CPU that runs into nothing
