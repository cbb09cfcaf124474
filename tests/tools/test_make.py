"""The makefile's rules that run every time: two makes at once in one tree get along."""

import os
import subprocess

import pytest
from paths import ROOT

# Before a make compares, a second one makes the same file from beginning to end.
CMP = """#!/bin/sh
if [ -z "$SECOND" ]; then
    SECOND=1 {make} || exit 2
    touch {ran}
fi
exec /usr/bin/cmp "$@"
"""


@pytest.mark.parametrize("before", [None, "of another version\n"], ids=["absent", "stale"])
@pytest.mark.parametrize("name", ["version.h", "flags"])
def test_a_second_make_while_the_first_compares(tmp_path, name, before):
    folder, ran, cmp = tmp_path / "build/x86_64", tmp_path / "ran", tmp_path / "bin/cmp"
    folder.mkdir(parents=True)
    cmp.parent.mkdir()
    make = ["make", "-C", str(ROOT), f"BUILD={tmp_path}/build", str(folder / name)]
    cmp.write_text(CMP.format(make=" ".join(make), ran=ran))
    cmp.chmod(0o755)
    if before:
        (folder / name).write_text(before)
    env = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    env["PATH"] = f"{cmp.parent}:{env['PATH']}"
    done = subprocess.run(make, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ran.exists()
    assert [f.name for f in folder.iterdir()] == [name]  # nothing is left behind
    assert (folder / name).read_text() not in ("", before)
