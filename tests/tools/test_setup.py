"""tools/setup.sh, with a dpkg-query and an apt-get of our own that only write down what they are told."""

import os
import subprocess

import pytest
from paths import ROOT

LISTED = [
    line.split()[0]
    for line in (ROOT / "tools" / "packages.txt").read_text().splitlines()
    if line and line[0].isalnum()
]

DPKG_QUERY = """#!/bin/sh
for package in $INSTALLED; do echo "installed $package"; done
echo "config-files make-doc"
"""

APT_GET = """#!/bin/sh
echo "frontend=$DEBIAN_FRONTEND $*" >> "$CALLS"
case "$*" in
*update*) exit "${UPDATE_STATUS:-0}" ;;
*install*) [ "$(grep -c install "$CALLS")" -gt "${INSTALL_FAILS:-0}" ] ;;
esac
"""


@pytest.fixture
def setup(tmp_path):
    fakes = tmp_path / "bin"
    fakes.mkdir()
    for name, text in (("dpkg-query", DPKG_QUERY), ("apt-get", APT_GET), ("sudo", '#!/bin/sh\nshift\nexec "$@"\n')):
        (fakes / name).write_text(text)
        (fakes / name).chmod(0o755)
    calls = tmp_path / "calls"

    def run(*groups, installed=(), uid=0, without=(), **env):
        for name in without:
            (fakes / name).unlink()
        (fakes / "id").write_text(f"#!/bin/sh\necho {uid}\n")
        (fakes / "id").chmod(0o755)
        calls.write_text("")
        # the tools that the script needs, and none of the machine's own apt or sudo
        for tool in "dirname grep sed awk sort ls env tr sh".split():
            if not (fakes / tool).exists():
                os.symlink(f"/usr/bin/{tool}", fakes / tool)
        done = subprocess.run(
            ["/bin/sh", ROOT / "tools" / "setup.sh", *groups],
            env={"PATH": str(fakes), "INSTALLED": " ".join(installed), "CALLS": str(calls), **env},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        return done, calls.read_text().splitlines()

    return run


def test_nothing_missing_calls_nothing_and_says_nothing(setup):
    done, calls = setup(installed=LISTED)
    assert (done.returncode, done.stdout, done.stderr, calls) == (0, "", "", [])


def test_only_the_missing_ones_are_installed_unasked(setup):
    done, calls = setup(installed=[p for p in LISTED if p not in ("perl", "gcc")])
    assert done.returncode == 0
    assert calls[-1].startswith("frontend=noninteractive ")
    assert calls[-1].endswith("install -y --no-install-recommends gcc perl")
    assert "missing packages: gcc perl" in done.stdout


def test_a_group_needs_its_own_packages_only(setup):
    _, calls = setup("alpha")
    assert calls[-1].split()[-2:] == ["gcc-alpha-linux-gnu", "qemu-system-misc"]
    _, calls = setup("alpha", "debug")
    assert calls[-1].split()[-3:] == ["gcc-alpha-linux-gnu", "gdb", "qemu-system-misc"]


def test_setup_no_prints_the_command_and_stops(setup):
    done, calls = setup("debug", SETUP="no")
    assert (done.returncode, calls) == (2, [])
    assert "apt-get install -y --no-install-recommends gdb" in done.stdout


def test_sudo_is_used_when_not_root(setup):
    done, calls = setup("debug", uid=1000)
    assert done.returncode == 0
    assert calls[-1].endswith("install -y --no-install-recommends gdb")


def test_neither_root_nor_sudo_is_a_clear_error(setup):
    done, calls = setup("debug", uid=1000, without=["sudo"])
    assert (done.returncode, calls) == (2, [])
    assert "neither root nor sudo" in done.stderr
    assert "apt-get install -y --no-install-recommends gdb" in done.stderr


def test_stale_lists_are_refreshed_once_and_tried_again(setup):
    done, calls = setup("debug", INSTALL_FAILS="1")
    assert done.returncode == 0
    assert [("update" if "update" in c else "install") for c in calls][-3:] in (
        ["install", "update", "install"],
        ["update", "install"],  # no lists on this machine at all
    )


def test_an_install_that_fails_is_an_error(setup):
    done, _ = setup("debug", INSTALL_FAILS="9")
    assert done.returncode == 2
    assert "could not install: gdb" in done.stderr


def test_an_unknown_group_is_named_with_those_there_are(setup):
    done, _ = setup("tset")
    assert done.returncode == 2
    assert "no group 'tset'" in done.stderr
    assert "test" in done.stderr.split("there are:")[1].split()


def test_no_dpkg_is_no_reason_to_stop(setup):
    done, calls = setup("debug", without=["dpkg-query"])
    assert (done.returncode, calls) == (0, [])
    assert "gdb" in done.stderr


def test_every_package_says_why():
    for line in (ROOT / "tools" / "packages.txt").read_text().splitlines():
        if line and line[0].isalnum():
            assert "# " in line, line
