"""What the compiler makes of code whose order and registers matter on Alpha."""

import re
import subprocess

import pytest
from boots import ARCH
from paths import ROOT

pytestmark = pytest.mark.skipif(ARCH != "alpha", reason="facts of Alpha's code")

OBJDUMP = "alpha-linux-gnu-objdump"


def functions(objdump_arguments):
    """{function: [instruction with operands, ...]}."""
    out = subprocess.run([OBJDUMP, "-d", "--no-show-raw-insn", *objdump_arguments], check=True, capture_output=True, text=True)
    found, current = {}, None
    for line in out.stdout.splitlines():
        if head := re.fullmatch(r"[0-9a-f]+ <(\w+)>:", line):
            current = found.setdefault(head[1], [])
        elif current is not None and (insn := re.match(r"\s*[0-9a-f]+:\s+(.*)", line)):
            current.append(insn[1])
    return found


def with_fp(code):
    return [i for i in code if re.search(r"\$f\d", i)]


def test_handlers_of_interrupts_touch_no_floating_point_register():
    """gcc has no switch for it but by the file: NO_FP_CODE collects them in a section of their own."""
    objects = sorted((ROOT / "build/alpha/kernel/work").glob("*.o"))
    handlers = {}
    for path in objects:
        sections = subprocess.run([OBJDUMP, "-h", path], check=True, capture_output=True, text=True).stdout
        if ".text.no_fp" in sections:
            handlers |= {(path.name, name): code for name, code in functions(["-j", ".text.no_fp", path]).items()}
    assert {"take", "complete", "put_page", "fault"} <= {name for _, name in handlers}
    for where, code in handlers.items():
        assert not with_fp(code), where
    # what is looked for is found where it has to be
    assert any(with_fp(code) for code in functions([ROOT / "build/alpha/kernel/lab/stats.o"]).values())


ORDERED = """
#include "core/atomic.h"
#include <stdint.h>
uint32_t relaxed(uint32_t *p) { return load_once(p); }
uint32_t acquire(uint32_t *p) { return load_acquire(p); }
void *pointer(void **p) { return load_acquire(p); }
void release(uint32_t *p, uint32_t v) { store_release(p, v); }
uint32_t add(uint32_t *p) { return fetch_add(p, 1); }
uint64_t swap(uint64_t *p) { return exchange(p, 0); }
int compare(uint32_t *p) { return compare_exchange(p, 0, 1); }
void full(void) { full_barrier(); }
"""

# mb, and accesses to memory, in their order.
EXPECTED = {
    "relaxed": ["ldl"],
    "acquire": ["ldl", "mb"],
    "pointer": ["ldq", "mb"],
    "release": ["mb", "stl"],
    "add": ["mb", "ldl_l", "stl_c", "mb"],
    "swap": ["mb", "ldq_l", "stq_c", "mb"],
    "compare": ["mb", "ldl_l", "stl_c", "mb"],
    "full": ["mb"],
}


def test_words_between_cpus_are_ordered(tmp_path):
    source, target = tmp_path / "order.c", tmp_path / "order.o"
    source.write_text(ORDERED)
    argv = ["alpha-linux-gnu-gcc", "-O2", "-mcpu=ev6", "-ffreestanding", f"-I{ROOT}/kernel", "-c", "-o", target, source]
    subprocess.run(argv, check=True)
    got = {
        name: [op for op in (i.split()[0] for i in code) if op == "mb" or re.match(r"(ld|st)[lq](_[lc])?$", op)]
        for name, code in functions([target]).items()
    }
    assert got == EXPECTED
