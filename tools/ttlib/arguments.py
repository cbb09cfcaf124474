"""Numbers on tt's command line: what one is not is said with the option's name (argparse, status 2)."""

import argparse
import math


def count(text):
    """A whole number above 0."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number above 0")
    return int(text)


def seconds(text):
    """Seconds above 0, at most a year of them: what select() and a person can wait."""
    value = _number(text)
    if not 0 < value <= 366 * 86400:
        raise argparse.ArgumentTypeError(f"{text}: expected seconds, a number above 0")
    return value


def percent(text):
    value = _number(text.removesuffix("%"))
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text}: expected a percentage such as 5%")
    return value


def _number(text):
    try:
        return float(text)
    except ValueError:
        return math.nan
