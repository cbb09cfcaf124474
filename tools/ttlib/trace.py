"""tt trace: the fault trace of a log (run=faults trace=record) as a file, which run=replay takes.

Give the file to the kernel as a boot module: tt run --cmdline "run=replay ..." -- -initrd FILE
"""

import struct
import zlib

from . import load
from .errors import Finding, Usage

NAME = "trace"
HELP = "a recorded fault trace, as a boot module for run=replay"

MAGIC = 0x31725474  # kernel/mm/vm_trace.h


def add_arguments(parser):
    parser.add_argument("log", metavar="LOG", help="of a boot with run=faults trace=record")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the boot module")
    parser.add_argument("--boot", type=int, metavar="N", help="of a log with several; default: the last")
    parser.add_argument("--name", metavar="NAME", default="faults", help="which trace; default: %(default)s")


def words_of(boot, name):
    """The words of a trace, two per event; Finding when it is not there or not whole."""
    records = boot.of("trace", trace=name)
    if not records:
        raise Finding(f"no trace {name}: the boot had no run=faults trace=record")
    if records[0].fields["lost"]:
        raise Finding(f"trace {name}: {records[0].fields['lost']} events found no room when it was recorded")
    parts = boot.parts("trace", "words", trace=name)
    words = None if parts is None else [word for part in parts for word in part]
    if words is None or len(words) != 2 * records[0].fields["events"]:
        raise Finding(f"trace {name}: some of its records are lost")
    return words


def encode(words):
    data = struct.pack(f"<{len(words)}I", *words)
    return struct.pack("<III", MAGIC, len(words) // 2, zlib.crc32(data)) + data


def run(args):
    words = words_of(load.pick(load.load(args.log), args.log, args.boot), args.name)
    try:
        with open(args.output, "wb") as file:
            file.write(encode(words))
    except OSError as error:
        raise Usage(f"{args.output}: {error.strerror}") from error
    print(f"{args.output}: {len(words) // 2} events")
    return 0
