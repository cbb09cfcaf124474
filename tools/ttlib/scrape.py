"""tt scrape: the intact records of a log, and exactly what is missing.

Records go to standard output as they come, complaints to standard error; status 1 when the log is not
whole. From a live source (serial line, TCP, telnet) it reads until the end record or the time limit.
"""

import sys

from . import arguments, formats, source
from .errors import Finding, Usage
from .log import Log

NAME = "scrape"
HELP = "records out of a serial log, live or kept; says what is missing"


def add_arguments(parser):
    parser.add_argument("log", metavar="LOG", help="file, -, /dev/tty..., tcp:HOST:PORT, telnet:HOST:PORT")
    parser.add_argument(
        "--format", choices=sorted(formats.FORMATS), default="jsonl",
        help="jsonl: records as they are; csv: a line per sample; ktap: verdicts; benchstat: samples as Go has "
        "benchmarks; default: %(default)s",
    )
    parser.add_argument("--baud", type=arguments.count, default=115200, metavar="N", help="of a serial line; default: %(default)s")
    parser.add_argument("--timeout", type=arguments.seconds, metavar="S", help="give up on a live source after S seconds")
    parser.add_argument("--keep", metavar="FILE", help="also write what came in, byte by byte")


def run(args):
    log = Log()
    live = source.is_live(args.log)
    write = formats.FORMATS[args.format](sys.stdout)
    late = None
    keep = None
    if args.keep:
        source.check_output(args.keep, args.log)
        try:
            keep = open(args.keep, "wb", buffering=0)
        except OSError as error:
            raise Usage(f"{args.keep}: {error.strerror}") from error
    try:
        for chunk in source.read(args.log, args.baud, args.timeout):
            if keep:
                keep.write(chunk)
            write.records(log.feed(chunk))
            if live and log.ended():
                break
    except Finding as error:
        late = str(error)
    except KeyboardInterrupt:
        late = "interrupted"
    finally:
        if keep:
            keep.close()
    write.records(log.close())
    write.finish(log)
    sys.stdout.flush()
    complaints = ([late] if late else []) + log.complaints() + write.complaints
    count = sum(len(boot.by_seq) for boot in log.boots)
    repeats = sum(boot.repeated for boot in log.boots)
    print(
        f"tt scrape: {count} records, {len(log.boots)} boots"
        + (f", {repeats} repeated (counted once)" if repeats else ""),
        file=sys.stderr,
    )
    if complaints:
        raise Finding("\n".join(complaints))
    return 0
