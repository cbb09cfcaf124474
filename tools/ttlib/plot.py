"""tt plot: one metric as a picture, PNG or SVG by the file's name.

    tt plot LOG --metric read -o read.png
    tt plot DIR --metric conflict --x mem --only bytes=2M -o conflict.svg

Of a log: a line per level, means over the blocks, bands their 95% intervals (Student's t). Cache sizes
that the log names are marked.

Of a directory of tt sweep: a line per combination of axes, means over boots that differ in their seed
only, with their 95% intervals, as the tables of tt sweep have them. Axes are those of the sweep (mem),
of the levels (alloc), and the workload's own by its first word (bytes). Nothing else is averaged:
boots that may not be pooled, and numbers of several sources or units, are refused.
"""

from . import arguments, matrix, series
from .errors import Finding, Usage
from .load import load, machine_facts, pick
from .results import is_results

NAME = "plot"
HELP = "one metric of a log or of a sweep's directory as PNG or SVG"
ENDINGS = (".png", ".svg")
POOLED = [name for name in matrix.AXES if name != "seed"]


def add_arguments(parser):
    parser.add_argument("log", metavar="LOG|DIR", help="file, or directory of tt sweep; - is standard input")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="NAME.png or NAME.svg")
    parser.add_argument("--exp", metavar="NAME", help="needed when there are several experiments")
    parser.add_argument("--metric", metavar="NAME", help="needed when the experiment has several metrics")
    parser.add_argument("--boot", type=arguments.count, metavar="N", help="of several in the log; default: the last")
    parser.add_argument(
        "--x", metavar="AXIS", help="of a directory: the axis on x; default: the workload's own, without one the first that varies"
    ).words = POOLED
    parser.add_argument(
        "--lines", metavar="AXIS[,AXIS]", help="of a directory: the axes that make lines, the others panels; default: all others"
    ).words = POOLED
    parser.add_argument(
        "--only", metavar="AXIS=VALUE[,VALUE]", action="append", default=[], help="of a directory: only these; may repeat"
    )


def run(args):
    if not args.output.endswith(ENDINGS):
        raise Usage(f"{args.output}: expected a name that ends in {' or '.join(ENDINGS)}")
    fig, complaints = (of_sweep if is_results(args.log) else of_log)(args)
    from . import figure

    try:
        figure.save(fig, args.output)
    except OSError as error:
        raise Usage(f"{args.output}: {error.strerror}") from error
    if complaints:
        # The picture shows what is intact, and that is not all: whoever uses it has to know.
        raise Finding("the picture is there, and lacks this:\n" + "\n".join(complaints))
    return 0


def of_sweep(args):
    from . import plot_sweep

    if args.boot is not None:
        raise Usage("--boot chooses in a log; a sweep's directory has one boot a log")
    return plot_sweep.figure_of(args.log, args)


def of_log(args):
    from . import figure

    for option, value in (("--x", args.x), ("--lines", args.lines), ("--only", args.only)):
        if value:
            raise Usage(f"{option} is for a directory of tt sweep; {args.log} is none")
    log = load(args.log)
    boot = pick(log, args.log, args.boot)
    exp = series.choose(series.experiments(boot), args.exp, "experiment")
    metric = series.choose(exp.metrics, args.metric, "metric")
    fig = figure.draw(exp, metric, figure.cache_marks(boot, exp))
    if fig is None:
        raise Usage(f"{exp.name}: no sample of {metric.name}")
    machine = machine_facts(boot).get("cache model") if metric.source == "model" else None
    described = f" ({machine})" if machine else ""
    figure.footnote(fig, f"{exp.name}: {figure.means_text(exp, metric)}; {figure.source_text(metric.source)}{described}.")
    return fig, log.complaints()
