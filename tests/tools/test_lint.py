"""The lint scripts find what they are there for, and nothing else."""

import re
import subprocess

import pytest
from paths import ROOT

TREE = {
    "kernel/arch.h": '#include "boot_info.h"\n#include "core/types.h"\n',
    "kernel/boot_info.h": '#include "core/types.h"\n#include <arch/param.h>\n',
    "kernel/core/types.h": "#include <stdint.h>\n#include <string.h>\n",
    "kernel/core/newlib.c": "#include <reent.h>\n",
    "kernel/mm/page.c": '#include "mm/page.h"\n#include "core/types.h"\n#include "arch.h"\n',
    "kernel/lab/run.c": '#include "mm/page.h"\n#include "perf/clock.h"\n#include <stdio.h>\n',
    "kernel/work/fft.c": '#include "lab/run.h"\n#include <math.h>\n',
    "arch/x86_64/uart.c": '#include "regs.h"\n#include "core/types.h"\n#include "mm/own.h"\n#include <arch/cpu.h>\n',
    "arch/x86_64/selftest_jump.c": "#include <setjmp.h>\n",
    "boot/x86_64/pvh.c": '#include "mm/memmap.h"\n#include "boot_info.h"\n',
}


def lint(tmp_path, **extra):
    files = dict(TREE)
    for name, text in extra.items():
        files[name.replace("__", "/")] = text
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return subprocess.run(
        ["sh", ROOT / "tools" / "lint-includes", tmp_path], capture_output=True, text=True
    )


def test_a_tree_that_keeps_the_rule(tmp_path):
    done = lint(tmp_path)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    "name, text, why",
    [
        ("kernel/core/a.c", '#include "mm/page.h"', "core/ may not include mm/"),
        ("kernel/mm/a.c", '#include "perf/clock.h"', "mm/ may not include perf/"),
        ("kernel/mm/a.h", '#  include  "lab/run.h"', "mm/ may not include lab/"),
        ("kernel/lab/a.c", '#include "work/fft.h"', "lab/ may not include work/"),
        ("kernel/irq/a.c", '#include "sched/t.h"', "irq/ may not include sched/"),
        ("kernel/boot_info.h", '#include "mm/own.h"', "core/ only"),
        ("kernel/mm/a.c", '#include "page.h"', "relative to kernel/"),
        ("kernel/mm/a.c", '#include "../core/types.h"', "own file"),
        ("kernel/mm/a.c", '#include "arch/x86_64/regs.h"', "own file"),
        ("kernel/mm/a.c", '#include "new/x.h"', "no such layer"),
        ("kernel/new/a.c", '#include "core/types.h"', "no place"),
        ("kernel/mm/a.c", "#include <stdio.h>", "libc is for"),
        ("kernel/core/a.c", "#include <stdlib.h>", "libc is for"),
        ("arch/x86_64/a.c", '#include "mm/page.h"', "ports and boot paths"),
        ("arch/x86_64/a.S", '#include "lab/run.h"', "ports and boot paths"),
        ("boot/x86_64/a.c", "#include <stdio.h>", "libc is for"),
        ("arch/x86_64/trap.c", "#include <setjmp.h>", "libc is for"),
    ],
)
def test_a_breach_is_found_and_placed(tmp_path, name, text, why):
    done = lint(tmp_path, **{name.replace("/", "__"): f"/* . */\n{text}\n"})
    assert done.returncode == 1
    assert f"{name}:2: " in done.stdout
    assert why in done.stdout


def test_nothing_to_check_is_no_success(tmp_path):
    assert subprocess.run(["sh", ROOT / "tools" / "lint-includes", tmp_path], capture_output=True).returncode == 2


def headers(tmp_path, text):
    for folder in ("tools", "kernel/core", "arch/none/include/arch"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "kernel/core/a.h").write_text(text)
    return subprocess.run(
        ["sh", ROOT / "tools" / "lint-headers", "gcc", "-Wall", "-Werror", "-Ikernel", "-Iarch/none/include"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )


def test_a_header_that_compiles_alone(tmp_path):
    assert headers(tmp_path, "#ifndef A\n#define A\n#include <stddef.h>\nstruct s { size_t n; };\n#endif\n").returncode == 0


@pytest.mark.parametrize(
    "text", ["struct s { size_t n; };\n", "struct s { int n; };\n"], ids=["needs another", "has no guard"]
)
def test_a_header_that_does_not(tmp_path, text):
    done = headers(tmp_path, text)
    assert done.returncode == 1
    assert "kernel/core/a.h does not compile alone" in done.stderr


def test_what_is_aligned_of_an_array_of_cpus_is_the_element():
    """An attribute behind name[CPU_MAX] aligns the array: neighbours share lines. PER_CPU is for that."""
    wrong = [
        str(path)
        for folder in ("kernel", "arch")
        for path in (ROOT / folder).rglob("*.[ch]")
        if re.search(r"\w\[CPU_MAX\]\s*__attribute__\(\(aligned", path.read_text())
    ]
    assert not wrong
