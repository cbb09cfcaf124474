"""tt plot: one metric of one experiment as a picture, PNG or SVG by the file's name.

Lines are means over the blocks, bands their 95% intervals (Student's t). Cache sizes that the log
names are marked.
"""

from . import series
from .errors import Finding, Usage
from .load import load, pick

NAME = "plot"
HELP = "one experiment of a log as PNG or SVG"
ENDINGS = (".png", ".svg")


def add_arguments(parser):
    parser.add_argument("log", metavar="LOG", help="file; - is standard input")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="NAME.png or NAME.svg")
    parser.add_argument("--exp", metavar="NAME", help="needed when the log has several experiments")
    parser.add_argument("--metric", metavar="NAME", help="needed when the experiment has several metrics")
    parser.add_argument("--boot", type=int, metavar="N", help="of several in the log; default: the last")


def run(args):
    from . import figure

    if not args.output.endswith(ENDINGS):
        raise Usage(f"{args.output}: expected a name that ends in {' or '.join(ENDINGS)}")
    log = load(args.log)
    boot = pick(log, args.log, args.boot)
    exp = series.choose(series.experiments(boot), args.exp, "experiment")
    metric = series.choose(exp.metrics, args.metric, "metric")
    fig = figure.draw(exp, metric, figure.cache_marks(boot, exp))
    if fig is None:
        raise Usage(f"{exp.name}: no sample of {metric.name}")
    try:
        figure.save(fig, args.output)
    except OSError as error:
        raise Usage(f"{args.output}: {error.strerror}") from error
    complaints = log.complaints()
    if complaints:
        # The picture shows what is intact, and that is not all: whoever uses it has to know.
        raise Finding("the picture lacks what the log has lost:\n" + "\n".join(complaints))
    return 0
