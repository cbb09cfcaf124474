"""tt trace: the fault trace of a log (run=faults trace=record) as a file, which run=replay takes.

Give the file to the kernel as a boot module: tt run --cmdline "run=replay ..." -- -initrd FILE
"""

import struct
import zlib

from . import arguments, load, series, source
from .errors import Finding, Usage

NAME = "trace"
HELP = "a recorded fault trace, as a boot module for run=replay"

MAGIC = 0x31725474  # kernel/mm/vm_trace.h


def add_arguments(parser):
    parser.add_argument("log", metavar="LOG", help="of a boot with run=faults trace=record")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the boot module")
    parser.add_argument("--boot", type=arguments.count, metavar="N", help="of a log with several; default: the last")
    parser.add_argument("--name", metavar="NAME", default="faults", help="which trace; default: %(default)s")


def words_of(boot, name):
    """The words of a trace, two per event; Finding when it is not whole."""
    found = {record.fields["trace"]: True for record in boot.of("trace")}
    if not found and not boot.complaints():
        raise Usage("no trace in it: the boot had no run=faults trace=record")
    if not found:
        raise Finding("no trace in what is left of it:\n" + "\n".join(boot.complaints()))
    series.choose(found, name, "trace")
    records = boot.of("trace", trace=name)
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
    source.check_output(args.output, args.log)
    try:
        with open(args.output, "wb") as file:
            file.write(encode(words))
    except OSError as error:
        raise Usage(f"{args.output}: {error.strerror}") from error
    print(f"{args.output}: {len(words) // 2} events")
    return 0
