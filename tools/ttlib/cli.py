"""tt's command line: one parser, one module per command, exit status 0, 1 or 2."""

import argparse
import os
import sys

from . import compare, completion, plot, report, run, scrape, sweep, trace
from .errors import Finding, Usage

COMMANDS = (run, sweep, scrape, report, compare, plot, trace, completion)
TAKE_QEMU_ARGUMENTS = (run.NAME, sweep.NAME)


def parser():
    top = argparse.ArgumentParser(
        prog="tt",
        description="Tintype's host side: boot a kernel, read its log, judge its numbers.",
        epilog="Exit status: 0 ok; 1 a finding, told on standard error; 2 wrong usage.",
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in COMMANDS:
        sub = commands.add_parser(
            module.NAME,
            help=module.HELP,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(sub)
        if module.NAME in TAKE_QEMU_ARGUMENTS:
            usage = sub.format_usage().removeprefix("usage: ").rstrip()
            sub.usage = f"{usage} [-- QEMU-ARG ...]"
        sub.set_defaults(run=module.run, parser=sub)
    return top


def split(argv):
    """(our words, QEMU's words behind --), for the commands that pass them on."""
    if argv[:1] and argv[0] in TAKE_QEMU_ARGUMENTS and "--" in argv:
        at = argv.index("--")
        return argv[:at], argv[at + 1 :]
    return argv, []


def main(argv):
    argv, qemu_arguments = split(argv)
    args, left = parser().parse_known_args(argv, argparse.Namespace(qemu_arguments=qemu_arguments))
    # argparse takes a command's words from one place only; those of a sweep may stand around its options.
    if left and (args.command != sweep.NAME or any(word.startswith("-") for word in left)):
        args.parser.error(f"unrecognized arguments: {' '.join(left)}")
    if left:
        args.words += left
    try:
        return args.run(args)
    except Finding as error:
        status, text = 1, str(error)
    except Usage as error:
        status, text = 2, str(error)
    except KeyboardInterrupt:
        status, text = 1, "interrupted"
    except BrokenPipeError:
        # The reader of our output (head, less) has gone: nothing more to say, nothing to complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    for line in text.splitlines():
        print(f"tt {args.command}: {line}", file=sys.stderr)
    return status
