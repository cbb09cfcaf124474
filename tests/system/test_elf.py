"""Facts about the linked kernel: what loaders demand of it, and on x86_64 no use of the red zone."""

import re
import struct
import subprocess
from dataclasses import dataclass

import pytest

import below_stack
from boots import ARCH
from paths import ROOT

OUT = ROOT / f"build/{ARCH}"
KERNEL = OUT / "tintype.elf"

LINK_BASE, PAGE, TOOLS = {
    "x86_64": (0xFFFFFFFF80000000, 4096, ""),
    "alpha": (0xFFFFFC0000000000, 8192, "alpha-linux-gnu-"),
}[ARCH]
pc_only = pytest.mark.skipif(ARCH != "x86_64", reason="of x86_64 and its loaders")
PT_LOAD, PT_NOTE = 1, 4
X, W, R = 1, 2, 4
NOTE_PHYS32_ENTRY = 18
MULTIBOOT2_SEARCH = 32768  # the header must lie in the file's first 32 KiB

# Functions that load rsp from elsewhere on purpose, so that the checker cannot follow it.
NOT_FOLLOWED = {
    "land", "longjmp",  # back into trap_guard; newlib's
    "arch_leave_boot_stacks",  # CPU 0's stack in own memory, for good
    "trap_regs_probe",  # restores the stack pointer in case the trap path lost it
}


@dataclass(frozen=True)
class Segment:
    type: int
    flags: int
    offset: int
    vaddr: int
    paddr: int
    filesz: int
    memsz: int


@pytest.fixture(scope="module")
def elf():
    assert KERNEL.exists(), f"{KERNEL} is not built: make first"
    return KERNEL.read_bytes()


def entry_of(elf):
    return struct.unpack_from("<Q", elf, 24)[0]


def segments_of(elf):
    at, = struct.unpack_from("<Q", elf, 32)
    count, = struct.unpack_from("<H", elf, 56)
    found = []
    for n in range(count):
        kind, flags, offset, vaddr, paddr, filesz, memsz, _ = struct.unpack_from(
            "<IIQQQQQQ", elf, at + 56 * n)
        found.append(Segment(kind, flags, offset, vaddr, paddr, filesz, memsz))
    return found


def loads_of(elf):
    return [s for s in segments_of(elf) if s.type == PT_LOAD]


def symbols_of(path):
    out = subprocess.run([TOOLS + "nm", str(path)], check=True, capture_output=True, text=True).stdout
    return {name: int(value, 16) for value, _, name in
            (line.split() for line in out.splitlines() if len(line.split()) == 3)}


def pvh_entry_offset(elf):
    """File offset of the address in the PVH note."""
    for s in segments_of(elf):
        if s.type != PT_NOTE:
            continue
        at = s.offset
        while at < s.offset + s.filesz:
            name, desc, kind = struct.unpack_from("<III", elf, at)
            data = at + 12 + (name + 3 & ~3)
            if kind == NOTE_PHYS32_ENTRY and elf[at + 12:at + 16] == b"Xen\0":
                return data
            at = data + (desc + 3 & ~3)
    return None


def test_entry_is_virtual_and_in_text(elf):
    entry = entry_of(elf)
    assert any(s.vaddr <= entry < s.vaddr + s.filesz and s.flags & X for s in loads_of(elf))
    assert entry >= LINK_BASE


@pc_only
def test_pvh_note_names_a_physical_address_in_text(elf):
    at = pvh_entry_offset(elf)
    assert at is not None, "no PVH note"
    entry, = struct.unpack_from("<Q", elf, at)
    assert any(s.paddr <= entry < s.paddr + s.filesz and s.flags & X for s in loads_of(elf))


def test_no_segment_is_writable_and_executable(elf):
    loads = loads_of(elf)
    assert [s.flags for s in loads] == [R | X, R, R | W]
    for a, b in zip(loads, loads[1:]):
        assert a.vaddr + a.memsz <= b.vaddr and b.vaddr % PAGE == 0, "they share a page"


def test_physical_addresses_follow_virtual_ones(elf):
    for s in loads_of(elf):
        assert s.vaddr - s.paddr == LINK_BASE
        assert s.vaddr % PAGE == s.offset % PAGE


@pc_only
def test_boot_headers_fit_the_first_32_kib(elf):
    text = loads_of(elf)[0]
    assert text.offset == PAGE, "text starts in the file's second page"
    end = symbols_of(KERNEL)["__text_boot_end"]
    assert text.offset + end - text.vaddr <= MULTIBOOT2_SEARCH


def test_symbol_table_moves_no_text(elf):
    text = loads_of(elf)[0]
    inside = range(text.vaddr, text.vaddr + text.memsz)

    def text_symbols(path):
        return {n: a for n, a in symbols_of(path).items() if a in inside}

    before, after = text_symbols(OUT / "pass1.elf"), text_symbols(KERNEL)
    assert len(after) > 100
    assert before == after


@pc_only
def test_stripped_size(tmp_path, elf):
    stripped = tmp_path / "stripped"
    subprocess.run([TOOLS + "strip", "-o", str(stripped), str(KERNEL)], check=True)
    assert stripped.stat().st_size < 400 * 1024


def test_newlib_brings_one_printf():
    """Another one, for files, comes with fprintf, a third, for integers, with newlib's own assert."""
    found = {name for name in symbols_of(KERNEL) if re.fullmatch(r"_s?vf(i|w)?printf_r", name)}
    assert found == {"_svfprintf_r"}


@pc_only
def test_nothing_accesses_memory_below_the_stack_pointer(elf):
    symbols = symbols_of(KERNEL)
    # The 32-bit entry code is not 64-bit code, and runs before there are traps.
    boot_end = symbols["__text_boot_end"]
    findings, lost, count = below_stack.check(KERNEL, lambda f: f.address < boot_end)
    assert count > 100
    assert not findings, "\n".join(map(str, findings))
    assert set(lost) <= NOT_FOLLOWED


# ---- a loader may move the image ---------------------------------------------------------------


def moved(elf, by):
    """The same image with physical addresses that lie `by` bytes higher."""
    image = bytearray(elf)
    at, = struct.unpack_from("<Q", elf, 32)
    count, = struct.unpack_from("<H", elf, 56)
    for n in range(count):
        field = at + 56 * n + 24
        struct.pack_into("<Q", image, field, struct.unpack_from("<Q", elf, field)[0] + by)
    field = pvh_entry_offset(elf)
    struct.pack_into("<Q", image, field, struct.unpack_from("<Q", elf, field)[0] + by)
    return bytes(image)


@pc_only
@pytest.mark.parametrize("by", [0x200000, 0x3C00000])
def test_image_runs_where_it_was_moved_to(tmp_path, elf, by):
    image = tmp_path / "moved.elf"
    image.write_bytes(moved(elf, by))
    qemu = subprocess.run(
        ["qemu-system-x86_64", "-M", "q35", "-m", "128M", "-kernel", str(image), "-append",
         "run=selftest exit=qemu", "-nodefaults", "-display", "none", "-serial", "stdio",
         "-no-reboot", "-device", "isa-debug-exit,iobase=0xf4,iosize=1"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert qemu.returncode == 33, qemu.stdout + qemu.stderr
    # The kernel's own range starts with the image: it says itself where it is.
    start = segments_of(elf)[0].paddr + by
    assert re.search(rf'"{start:x}-[0-9a-f]+ kernel"', qemu.stdout)


# ---- the checker is worth its verdict ----------------------------------------------------------

LEAF = """
int planted(int a, int b)
{
    volatile int local[8];

    local[a & 7] = b;
    local[3] = a;
    return local[b & 7];
}
"""


def compile_leaf(folder, *flags):
    source, target = folder / "leaf.c", folder / "leaf.o"
    source.write_text(LEAF)
    subprocess.run(["gcc", "-O2", "-fno-stack-protector", "-fcf-protection=none", *flags, "-c", "-o",
                    str(target), str(source)], check=True)
    return target


@pc_only
@pytest.mark.parametrize("frame, through", [("-fomit-frame-pointer", "below rsp"),
                                            ("-fno-omit-frame-pointer", "through rbp")])
def test_checker_sees_a_planted_red_zone(tmp_path, frame, through):
    findings, _, count = below_stack.check(compile_leaf(tmp_path, frame))
    assert count == 1
    assert findings and all(through in f.why for f in findings)


@pc_only
@pytest.mark.parametrize("frame", ["-fomit-frame-pointer", "-fno-omit-frame-pointer"])
def test_checker_accepts_the_same_without(tmp_path, frame):
    findings, lost, count = below_stack.check(compile_leaf(tmp_path, frame, "-mno-red-zone"))
    assert (findings, lost, count) == ([], [], 1)


ASSEMBLY = {
    "lea to lower the stack": ("leaq -16(%rsp), %rsp\n movq %rax, (%rsp)\n addq $16, %rsp", 0),
    "lea as a pointer": ("leaq -16(%rsp), %rax\n movq %rcx, (%rax)", 1),
    "push of a word below": ("pushq -8(%rsp)\n popq %rax", 1),
    "after the stack went up": ("pushq %rbp\n movq %rsp, %rbp\n subq $16, %rsp\n addq $16, %rsp\n"
                                "movq %rax, -16(%rbp)\n popq %rbp", 1),
    "inside the frame": ("pushq %rbp\n movq %rsp, %rbp\n subq $16, %rsp\n movq %rax, -16(%rbp)\n"
                         "leave", 0),
    "one path has less": ("pushq %rbp\n movq %rsp, %rbp\n testl %edi, %edi\n je 1f\n subq $16, %rsp\n"
                          "1: movq %rax, -16(%rbp)\n leave", 1),
}


@pc_only
@pytest.mark.parametrize("case", ASSEMBLY)
def test_checker_on_assembly(tmp_path, case):
    code, expected = ASSEMBLY[case]
    source, target = tmp_path / "case.S", tmp_path / "case.o"
    source.write_text(f".globl f\nf: {code}\n ret\n")
    subprocess.run(["gcc", "-c", "-o", str(target), str(source)], check=True)
    findings, lost, _ = below_stack.check(target)
    assert (len(findings), lost) == (expected, []), findings


@pc_only
def test_debians_libgcc_would_be_found():
    library = subprocess.run(["gcc", "-print-libgcc-file-name"], check=True, capture_output=True,
                             text=True).stdout.strip()
    findings, _, _ = below_stack.check(library)
    names = {f.function for f in findings}
    if not re.search("Debian", subprocess.run(["gcc", "--version"], check=True, capture_output=True,
                                              text=True).stdout):
        pytest.skip("not Debian's compiler: its libgcc may be built without a red zone")
    assert {"__mulxc3", "__umodti3"} <= names
