"""tt's command line: one parser, one module per command, exit status 0, 1 or 2."""

import argparse
import os
import sys

from . import compare, completion, plot, report, run, scrape, trace
from .errors import Finding, Usage

COMMANDS = (run, scrape, report, compare, plot, trace, completion)


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
        sub.set_defaults(run=module.run)
    return top


def main(argv):
    args = parser().parse_args(argv)
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
