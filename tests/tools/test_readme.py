"""README names what there is to be set: make's variables, tt's commands and options' axes."""

import re

import pytest
from paths import ROOT

from ttlib import cli, matrix

README = (ROOT / "README.md").read_text()
CELLS = {word for row in re.findall(r"^\| ([^|]*) \|", README, re.M) for word in re.findall(r"`([^`]*)`", row)}


def makes_variables():
    text = (ROOT / "Makefile").read_text()
    (line,) = re.findall(r"^#: make qemu .*boot it: (.*)$", text, re.M)
    settable = set(re.findall(r"^([A-Z_]+) +\?=", text, re.M))
    assert set(line.split()) <= settable
    return line.split()


@pytest.mark.parametrize("name", makes_variables())
def test_every_variable_of_make_qemu_has_a_row(name):
    assert name in CELLS


@pytest.mark.parametrize("name", matrix.AXES)
def test_every_axis_of_a_sweep_has_a_row(name):
    assert name in CELLS


@pytest.mark.parametrize("module", cli.COMMANDS, ids=lambda m: m.NAME)
def test_every_command_of_tt_is_shown(module):
    assert f"tools/tt {module.NAME}" in README


def options():
    commands = next(a for a in cli.parser()._actions if a.dest == "command").choices
    return [(name, action) for name, sub in commands.items() for action in sub._actions]


@pytest.mark.parametrize("command, action", options(), ids=lambda v: v if isinstance(v, str) else v.dest)
def test_every_word_of_tt_has_a_help_text(command, action):
    assert action.help, f"tt {command}: {action.dest}"
