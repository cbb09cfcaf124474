"""Finds instructions of x86_64 code that access memory below the stack pointer (the red zone).

A trap on the current stack overwrites what lies there, so no code in the kernel may use it. Two
ways lead below rsp, and both are looked for:

 - through rsp itself: a negative displacement. `lea` accesses nothing, so it may form such an
   address if it does so in order to lower the stack (its target is rsp); any other `lea` below
   rsp is a finding, because what it is used for is not followed.
 - through rbp as a frame pointer, which is how gcc reaches the red zone of a function with a
   frame: the checker follows rsp through each function (push, pop, sub, add, lea, leave, jumps) as
   the distance from its value at entry, and an access through rbp must lie at or above it. Where
   paths meet, the smaller distance counts; an unknown amount subtracted counts as nothing.

Not followed: other registers that hold a copy of rsp; index registers (taken as not negative).
Functions that load rsp from elsewhere are listed, not guessed at.
"""

import re
import subprocess
from dataclasses import dataclass, field

FUNCTION = re.compile(r"^([0-9a-f]+) <([^>]+)>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(.*)$")
MEMORY = re.compile(r"(?<![*\w])(-?)(?:0x([0-9a-f]+))?\((%\w+)(?:,[^)]*)?\)")
TARGET = re.compile(r"^([0-9a-f]+) <")
PREFIXES = {"rep", "repz", "repnz", "lock", "notrack", "bnd", "cs", "ds", "data16", "addr32"}

# They do not return: what stands behind the call is not reached from it.
NORETURN = {"panic", "panic_trap", "arch_halt", "arch_exit", "kernel_main", "abort", "longjmp", "_exit",
            "__assert_func", "exit"}

ENDS = {"ret", "retq", "iretq", "ud2", "hlt", "lret", "lretq", "int3", "retf"}


@dataclass(frozen=True)
class State:
    """How far rsp (at least) and rbp (if it is a frame pointer) lie below rsp's value at entry."""

    depth: int = 0
    frame: int | None = None

    def meet(self, other):
        return State(min(self.depth, other.depth), self.frame if self.frame == other.frame else None)


@dataclass
class Instruction:
    address: int
    text: str
    name: str
    operands: str


@dataclass
class Function:
    name: str
    address: int
    code: list = field(default_factory=list)


@dataclass(frozen=True)
class Finding:
    function: str
    address: int
    text: str
    why: str

    def __str__(self):
        return f"{self.address:x} {self.function}: {self.text}: {self.why}"


def disassemble(path):
    """All functions of an ELF file or archive, as objdump sees them."""
    out = subprocess.run(["objdump", "-d", "-w", "--no-show-raw-insn", str(path)], check=True,
                         capture_output=True, text=True).stdout
    functions = []
    for line in out.splitlines():
        if m := FUNCTION.match(line):
            functions.append(Function(m[2], int(m[1], 16)))
        elif (m := INSTRUCTION.match(line)) and functions:
            words = m[2].split("#")[0].split()
            while words and words[0] in PREFIXES:
                words.pop(0)
            if words:
                functions[-1].code.append(
                    Instruction(int(m[1], 16), m[2].strip(), words[0], " ".join(words[1:])))
    return functions


def _number(text):
    """`$0x10` as a signed 64-bit number, or None."""
    m = re.match(r"^\$(-?)0x([0-9a-f]+)$", text)
    if not m:
        return None
    value = int(m[2], 16)
    return -value if m[1] else value - (1 << 64) if value >> 63 else value


def _memory(operands):
    """(displacement, base register) of every memory operand."""
    return [((-1 if m[1] else 1) * int(m[2] or "0", 16), m[3]) for m in MEMORY.finditer(operands)]


def _target(operands):
    """The last operand: the one written, in this syntax."""
    return re.split(r",(?![^(]*\))", operands)[-1].strip()


def _step(i, s):
    """State after the instruction; None when rsp comes from elsewhere."""
    name, ops, target = i.name, i.operands, _target(i.operands)
    if name in ("push", "pushq", "pushf", "pushfq"):
        return State(s.depth + 8, s.frame)
    if name in ("pop", "popq", "popf", "popfq"):
        if target == "%rsp":
            return None
        return State(s.depth - 8, None if target == "%rbp" else s.frame)
    if name in ("leave", "leaveq"):
        return None if s.frame is None else State(s.frame - 8, None)
    if target == "%rsp":
        amount = _number(ops.split(",")[0])
        if name in ("sub", "subq"):
            return State(s.depth + (amount or 0), s.frame)
        if name in ("add", "addq") and amount is not None:
            return State(s.depth - amount, s.frame)
        if name in ("and", "andq"):
            return s
        if name in ("mov", "movq") and ops.startswith("%rbp,") and s.frame is not None:
            return State(s.frame, s.frame)
        if name in ("lea", "leaq"):
            (displacement, base), = _memory(ops)
            if base == "%rsp":
                return State(s.depth - displacement, s.frame)
            if base == "%rbp" and s.frame is not None:
                return State(s.frame - displacement, s.frame)
        return s if name in ("cmp", "cmpq", "test", "testq") else None
    if target in ("%rbp", "%ebp") and name not in ("cmp", "cmpq", "test", "testq"):
        copies = name in ("mov", "movq") and ops.startswith("%rsp,")
        return State(s.depth, s.depth if copies else None)
    return s


def _accesses(i, s):
    """Why the instruction's memory operands are findings."""
    if i.name.startswith("nop"):
        return
    lea = i.name in ("lea", "leaq")
    for displacement, base in _memory(i.operands):
        if base == "%rsp" and displacement < 0 and not (lea and _target(i.operands) == "%rsp"):
            yield "below rsp"
        if base == "%rbp" and s and s.frame is not None and not lea:
            below = s.frame - displacement - s.depth
            if below > 0:
                yield f"{below} bytes below rsp, through rbp"


def _successors(f, n, index, after):
    """Indices of the instructions that may run after number n, and whether any may (a table)."""
    i = f.code[n]
    if i.name in ENDS:
        return [], False
    m = TARGET.match(i.operands)
    jumps = i.name.startswith("j") or i.name.startswith("loop")
    to = [index[int(m[1], 16)]] if jumps and m and int(m[1], 16) in index else []
    if i.name in ("jmp", "jmpq"):
        return to, i.operands.startswith("*")
    if i.name in ("call", "callq"):
        called = re.search(r"<([^>+]+)>", i.operands)
        if called and called[1] in NORETURN:
            return [], False
    return to + ([n + 1] if n + 1 < after else []), False


def check_function(f):
    """Findings in one function, and whether rsp could be followed through all of it."""
    index = {i.address: n for n, i in enumerate(f.code)}
    states = {0: State()}
    work, tables, followed = [0], [], True
    while work or tables:
        if not work:
            # Reached by no other way: the targets of a jump table.
            s = tables.pop()
            work = [n for n in range(len(f.code)) if n not in states]
            states.update({n: s for n in work})
            continue
        n = work.pop()
        after = _step(f.code[n], states[n])
        if after is None:
            followed = False
            continue
        to, table = _successors(f, n, index, len(f.code))
        if table:
            tables.append(after)
        for t in to:
            new = after if t not in states else states[t].meet(after)
            # A loop that lifts rsp each time round has no smallest distance; -4096 is past any.
            if states.get(t) != new and new.depth > -4096:
                states[t] = new
                work.append(t)
    findings = [Finding(f.name, i.address, i.text, why) for n, i in enumerate(f.code)
                for why in _accesses(i, states.get(n))]
    return findings, followed


def check(path, skip=lambda f: False):
    """(findings, names of functions not followed, number of functions) of an ELF file."""
    findings, lost, count = [], [], 0
    for f in disassemble(path):
        if skip(f) or not f.code:
            continue
        found, followed = check_function(f)
        findings += found
        lost += [] if followed else [f.name]
        count += 1
    return findings, lost, count
