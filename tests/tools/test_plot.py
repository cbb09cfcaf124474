"""tt plot and tt report: what is on the page, and that it is all of it."""

import json
import re
import shutil
import subprocess
import warnings
from html.parser import HTMLParser

import pytest
from paths import ROOT
from synthetic import experiment

from ttlib import figure, seeds, series, stats
from ttlib.log import Log

CACHE = 262144


def value(level, x):
    return 1000.0 if level == "alloc=va" or x <= CACHE // 8 else 400.0


def log(**how):
    made = experiment(
        value, **{"levels": ("alloc=buddy", "alloc=va"), "xs": tuple(CACHE >> 4 << i for i in range(7)), "reps": 6, **how}
    )
    end = made.lines.pop()
    made._seq -= 1
    for name, got in (("alloc=buddy", [5, 0, 9, 2] * 16), ("alloc=va", [4] * 64)):
        who = dict(exp="bandwidth", level=name)
        made.record("alloc", **who, pages=256, colors=64, wishes=0, missed=0, failed=0)
        made.record("alloc", **who, array="free_blocks", first=0, part=0, parts=1, v=[100, 20, 3])
        made.record("alloc", **who, array="got", first=0, part=0, parts=2, v=got[:30])
        made.record("alloc", **who, array="got", first=30, part=1, parts=2, v=got[30:])
    assert '"tt":"end"' in end
    return made.end()


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "serial.log"
    file.write_bytes(log().bytes("\r\n"))
    return file


class Page(HTMLParser):
    """Text, and everything that a page could load from elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.text, self.links, self.tags, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.open.append(tag)
        for name, target in attrs:
            if name in ("src", "href", "xlink:href", "data") and target and not target.startswith(("#", "data:")):
                self.links.append(target)

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.text.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


@pytest.fixture
def report(tt_here, tmp_path):
    def make(*logs, status=0):
        paths = []
        for i, data in enumerate(logs):
            file = tmp_path / f"log{i}.txt"
            file.write_bytes(data)
            paths.append(file)
        out = tmp_path / "report.html"
        done = tt_here("report", *paths, "-o", out)
        assert done.returncode == status, done.stderr
        return Page(out.read_text()), done

    return make


# ---- plot --------------------------------------------------------------------------------------


def test_plot_makes_png_and_svg(tt_here, path, tmp_path):
    for ending, start in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        out = tmp_path / f"a.{ending}"
        assert tt_here("plot", path, "-o", out).returncode == 0
        assert out.read_bytes().startswith(start)


def test_plot_shows_levels_unit_axis_and_cache(tt_here, path, tmp_path):
    out = tmp_path / "a.svg"
    tt_here("plot", path, "-o", out)
    text = out.read_text()
    for word in ("alloc=buddy", "alloc=va", "read, MB/s", "16K", "1M", "L2, coloured"):
        assert f">{word}" in text, word


def test_plot_says_source_and_machine(tt_here, tmp_path):
    made = log(source="model")
    made.lines.pop()
    made._seq -= 1
    made.record("machine", what="model", machine="ds10", clock_khz=1)
    path, out = tmp_path / "serial.log", tmp_path / "a.svg"
    path.write_bytes(made.end().bytes())
    assert tt_here("plot", path, "-o", out).returncode == 0
    words = " ".join(re.sub(r"<[^>]+>", " ", out.read_text()).split())
    assert "bandwidth: means of 6 blocks with 95% intervals" in words
    assert "source model: the cache model of a described machine, no real one (ds10)." in words


def test_caches_stand_beside_sizes_only(tt_here, tmp_path):
    path, out = tmp_path / "serial.log", tmp_path / "a.svg"
    path.write_bytes(log(axis="irq_rate, per s").bytes())
    assert tt_here("plot", path, "-o", out).returncode == 0
    assert ">irq_rate, per s" in out.read_text() and "L2" not in out.read_text()


@pytest.mark.parametrize("xs", [(0,), (0, 1), (0, 1000, 10000), (1000, 10000)])
def test_a_value_at_0_is_in_the_picture(tmp_path, xs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        boot = Log()
        boot.feed(log(xs=xs).bytes())
        exp = series.experiments(boot.boots[-1])["bandwidth"]
        fig = figure.draw(exp, exp.metrics["read"], [])
        fig.savefig(tmp_path / "a.png")
    (ax,) = fig.axes
    at = [ax.transAxes.inverted().transform(ax.transData.transform((x, 1)))[0] for x in xs]
    assert all(0 <= a <= 1 for a in at) and at == sorted(at)
    assert all(b - a > 0.05 for a, b in zip(at, at[1:]))


def test_the_same_log_is_the_same_picture(tt_here, path, tmp_path):
    for name in ("a.svg", "b.svg"):
        tt_here("plot", path, "-o", tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_plot_of_a_damaged_log_says_so(tt_here, path, tmp_path):
    path.write_bytes(path.read_bytes().replace(b'"block":2', b'"block":3', 1))
    done = tt_here("plot", path, "-o", tmp_path / "a.png")
    assert done.returncode == 1
    assert b"damaged record" in done.stderr


@pytest.mark.parametrize(
    "words, why",
    [
        (["-o", "a.gif"], ".png or .svg"),
        (["-o", "/no/such/a.png"], "No such file"),
        (["-o", "a.png", "--exp", "latency"], "there are: bandwidth"),
        (["-o", "a.png", "--metric", "rate"], "there are: read"),
        (["-o", "a.png", "--boot", "2"], "no boot 2"),
    ],
)
def test_wrong_usage(tt_here, path, words, why):
    done = tt_here("plot", path, *words)
    assert done.returncode == 2
    assert why in done.stderr.decode()


# ---- report ------------------------------------------------------------------------------------


def test_report_is_self_contained(report):
    page, _ = report(log().bytes())
    assert page.links == []
    assert "script" not in page.tags and "link" not in page.tags


def test_report_says_what_was_measured_and_how(report):
    page, _ = report(log(cmdline="run=bandwidth reps=6 <b>").bytes())
    for text in (
        "run=bandwidth reps=6 <b>",  # escaped, so it reads as typed
        "Test CPU",
        "256K, 1 ways, 64-byte lines (cpuid leaf 4)",
        "1000.0 MHz by pit+acpi_pm",
        "6 blocks after 1 warm-up, seed 1",
        "ok bandwidth",
        "read, MB/s (higher is better)",
        "Source tsc",
        "6 samples each",
        "Pages by colour",
    ):
        assert text in page.words, text
    assert page.tags.count("svg") == 4  # the metric, heat map, two histograms


def test_report_numbers_are_the_logs(report):
    made = log()
    page, _ = report(made.bytes())
    samples = [json.loads(line) for line in made.lines if line.startswith('{"tt":"sample"')]
    for level in ("alloc=buddy", "alloc=va"):
        values = [s["value"] for s in samples if s["level"] == level and s["x"] == CACHE]
        assert f"{stats.median(values):.2f}" in page.words or f"{stats.median(values):.4g}" in page.words


def test_report_sees_the_difference_and_only_there(report):
    page, _ = report(log().bytes())
    rows = re.findall(r"(\d+[KM]) (\S+) (\S+) (~|[+-][\d.]+%)", page.words)
    found = {x: mark for x, _, _, mark in rows}
    assert found["16K"] == "~" and found["32K"] == "~"
    assert all(145 < float(found[x].rstrip("%")) < 155 for x in ("64K", "256K", "1M"))


def test_report_tells_what_a_log_has_lost(report):
    data = log().bytes().replace(b'"block":2', b'"block":3', 1)
    page, done = report(data, status=1)
    assert "This log is not whole" in page.words
    assert "damaged record" in page.words
    assert b"damaged record" in done.stderr


def test_a_lost_part_of_an_array_is_no_picture(report):
    made = log()
    made.lines = [line for line in made.lines if not ('"first":30' in line and "buddy" in line)]
    page, _ = report(made.bytes(), status=1)
    assert page.tags.count("svg") == 4
    assert page.words.count("alloc=buddy 256 64") == 0
    assert page.words.count("alloc=va 256 64") == 1


def test_report_warns_of_checks_and_panics(report):
    assert "Checks were on (CHECK=2)" in report(log(check=2).bytes())[0].words
    from synthetic import Builder

    page, _ = report(Builder().end(verdict="panic").bytes())
    assert "log0.txt: panic" in page.words


def test_two_logs_on_one_page(report):
    page, _ = report(log(version="one").bytes(), log(version="two", seed=9).bytes())
    assert "Kernel one" in page.words and "Kernel two" in page.words
    assert page.words.count("Beside the post") == 2


def test_small_logs_have_no_intervals_and_no_trouble(report):
    for reps in (1, 2):
        page, _ = report(log(reps=reps).bytes())
        assert f"{reps} samples each" in page.words


def test_profiles_stand_side_by_side(report):
    made = log(levels=("alloc=buddy", "alloc=va"))
    closing = made.lines.pop()
    made._seq -= 1
    for level, name, samples in (
        ("alloc=buddy", "chase", 750),
        ("alloc=buddy", "split", 250),
        ("alloc=va", "chase", 900),
    ):
        made.record(
            "profile", exp="bandwidth", level=level, function=name, samples=samples, of=1000, every_cycles=500,
            source="model", machine="ds10",
        )
    made.end()
    assert closing != made.lines[-1]
    page, _ = report(made.bytes())
    assert "chase 75.00% 90.00% split 25.00% -" in page.words
    assert "one sample every 500 of its cycles; source model, ds10" in page.words


# ---- the posts ---------------------------------------------------------------------------------


def test_the_posts_numbers_stand_beside_ours(report):
    page, _ = report(log(metric="read.peak").bytes())
    words = page.words
    assert "Jason Papadopoulos" in words
    assert "30 to 50" in words
    # a share of 1000 in 100, so to speak: values are percent here, the check is on the sizes chosen
    assert re.search(r"without colouring % of the theoretical maximum 80 read.peak (999|1000|1001)( to 100\d)? \(source tsc\)", words)
    assert re.search(r"without colouring % of the theoretical maximum 30 to 50 read.peak (399|400|401)( to 40\d)? \(source tsc\)", words)


def test_emulation_is_not_set_beside_a_post(report):
    page, _ = report(log(metric="read.peak", source="emulation").bytes())
    assert "not comparable: emulation times" in page.words


def test_another_experiment_has_no_post(report):
    assert "Beside the post" not in report(log(exp="other").bytes())[0].words


KERNELS = {"ref": 1000, "p-al": 990, "irq": 1000, "both": 900}


def four_kernels(**how):
    """Seed 000's four levels at two turns; the kernel compared each with ref at the same turns."""
    levels = tuple(f"levels={name} interleave={n}" for n in (1, 8) for name in KERNELS)

    def cost(level, x):
        name, turns = (word.split("=")[1] for word in level.split())
        return KERNELS[name] * int(turns)

    made = experiment(
        cost, **{"exp": "pagestruct", "metric": "fault", "unit": "cycles", "levels": levels, "xs": (None,), "noise": 0.5, "seed": 2, **how}
    )
    made.lines.pop()
    made._seq -= 1
    for level in levels:
        if "ref" not in level:
            vs = "levels=ref " + level.split()[1]
            made.record("summary", exp="pagestruct", level=level, metric="fault", vs=vs, verdict="lower")
    for name in KERNELS:
        made.record("experiment", exp="pagestruct", what="label", factor="levels", label=name, part=0, parts=1, text=f"page_struct={name}")
    made.record(
        "finding", exp="pagestruct", level="all", what="line", metric="fault", source="tsc", found=64, above=56, says=32,
        rule="a rule", verdict="differs",
    )
    return made.end()


def test_differences_stand_beside_the_posted_ones(report):
    page, _ = report(four_kernels().bytes())
    words = page.words
    # posted: 4207.9 against 4176.4, s 8.1 and 27.45 of 4 runs (Welch); ours by block, at each value of interleave=
    assert "4207.90 (s = 8.1) +0.8% [-0.3, +1.8] pagestruct fault, cycles: interleave=1: -1.0% [-1." in words
    assert "4228.80 (s = 11.7) +1.3% [+0.3, +2.2] pagestruct fault, cycles: interleave=1: ~ " in words
    assert re.search(r"interleave=8: -10\.0% \[-10\.\d, -(9\.9|10\.0)\] \(source tsc\)", words)


def test_each_level_is_compared_with_its_own_reference(report):
    """At interleave=8 a fault costs eight times as much; that is no difference between kernels."""
    page, _ = report(four_kernels().bytes())
    assert "the difference to levels=ref interleave=1 or levels=ref interleave=8 with its" in page.words
    assert not re.search(r"[+-][67]\d\d\.\d%", page.words)


def test_what_levels_mean_and_what_was_found(report):
    page, _ = report(four_kernels().bytes())
    assert "levels=both is page_struct=both" in page.words
    assert "line found 64 bytes, by fault (source tsc); the machine says 32 bytes: differs" in page.words


def test_mean_slices_are_on_the_page(report):
    page, _ = report(four_kernels(metric="fault.slice", unit="operations").bytes())
    assert re.search(r"levels=irq interleave=8 (8000|7999|8001)[.\d]* -", page.words)


def test_all_five_posts_are_there_and_readable():
    found = seeds.load()
    assert [s["id"] for s in found] == ["000", "001", "002", "003", "004"]
    for seed in found:
        for table in seed["tables"]:
            assert table["better"] in ("higher", "lower")
            assert all(seeds.posted_text(row) for row in table["rows"])


@pytest.mark.parametrize(
    "seed, what, level, text",
    [
        ("000", "128 concurrent", "irq: irq descriptors", "4228.80 (s = 11.7)"),
        ("001", "local communication, UDP", "56 bytes (2.6.16O, without)", "14.3 (s = 0.08367), n = 5"),
        ("001", "context switch, 2p/16K", "64 bytes (2.6.16n, with virtual)", "3.76 (s = 0.02828), n = 5"),
        ("002", "from 1/8", "without colouring", "30 to 50"),
        ("003", "64 concurrent", "2.2.8", "1624.20 (s = 18.99)"),
        ("004", "peak load", "shrink-pagevec", "4605.53, n = 2"),
    ],
)
def test_posted_numbers(seed, what, level, text):
    tables = next(s for s in seeds.load() if s["id"] == seed)["tables"]
    (table,) = [t for t in tables if what in t["what"]]
    (row,) = [r for r in table["rows"] if r["level"] == level]
    assert seeds.posted_text(row) == text


# ---- in a browser ------------------------------------------------------------------------------

CHROMIUM = shutil.which("chromium")
PROBE = """<script>
const root = document.documentElement;
const style = getComputedStyle(document.body);
document.title = JSON.stringify({
  over: root.scrollWidth - root.clientWidth,
  wide: [...document.querySelectorAll(".scroll")].filter(e => e.scrollWidth > e.clientWidth).length, paper: style.backgroundColor, ink: style.color,
  figure: getComputedStyle(document.querySelector("figure svg text")).fill,
});
</script>"""


def chromium(*words):
    return subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", *words], capture_output=True, text=True, timeout=120
    )


@pytest.mark.long
@pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed: tools/setup.sh browser")
@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_chromium(report, tmp_path, width, scheme):
    report(log().bytes(), four_kernels().bytes())  # the second has tables beside a post, and long levels
    page = tmp_path / "report.html"
    page.write_text(page.read_text().replace("</body>", PROBE + "</body>"))
    preferred = "--blink-settings=preferredColorScheme=" + ("0" if scheme == "dark" else "1")
    dom = chromium(preferred, f"--window-size={width},2000", "--dump-dom", page.as_uri()).stdout
    found = json.loads(re.search(r"<title>(\{.*?\})</title>", dom).group(1))
    assert found["over"] <= 0, "the page is wider than the window"
    assert width < 1280 or not found["wide"], "a table is wider than the page"
    dark = sum(map(int, re.findall(r"\d+", found["paper"])[:3])) < 3 * 128
    assert dark == (scheme == "dark")
    assert (sum(map(int, re.findall(r"\d+", found["ink"])[:3])) > 3 * 128) == dark
    assert found["figure"] == found["ink"]  # the figures' text follows the page's colours


@pytest.mark.long
@pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed: tools/setup.sh browser")
def test_prints(report, tmp_path):
    report(log().bytes())
    pdf = tmp_path / "report.pdf"
    chromium(f"--print-to-pdf={pdf}", "--no-pdf-header-footer", (tmp_path / "report.html").as_uri())
    data = pdf.read_bytes()
    assert data.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", data)) <= 12
