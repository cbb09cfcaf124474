"""What a log says beside samples, for tt report: the machine, its memory, and what each level's memory was.

Every member that bears on how to read the numbers stands on the page; arrays by colour stay in the log
unless a picture has them. Members that an older kernel did not write are left out.
"""

from . import series
from .load import machine_facts

size = series.size_text


def machine(boot):
    """[(what, text)] of the machine and memory records, and of what a probe found."""
    facts = machine_facts(boot)
    rows = [("processor", facts.get("cpu", "unknown"))]
    if facts.get("hypervisor"):
        rows.append(("runs under", facts["hypervisor"]))
    for kind, what, title, said in MACHINE:
        texts = [text for r in boot.of(kind, what=what) if (text := said(r.fields))]
        rows += [(title, text) for text in dict.fromkeys(texts)]
    ranges = [text for r in boot.of("memory", what="map") for text in r.fields["ranges"]]
    if ranges:
        rows.append(("memory map", "; ".join(ranges)))
    pages = boot.parts("memory", "v", what="own_pages")
    if pages:
        counts = [n for part in pages for n in part]
        rows.append(("kernel's own pages", f"{sum(counts)}, of {sum(map(bool, counts))} of {len(counts)} colours"))
    return rows


def _list(numbers):
    return ", ".join(map(str, numbers))


def _with(f, **texts):
    """Those of the texts whose member is there, joined; {} is its value."""
    return ", ".join(text.format(f[k]) for k, text in texts.items() if f.get(k) not in (None, ""))


def _cpus(f):
    return f"{f['running']} of {f['found']} run" + (f": {f['why']}" if f.get("why") else "")


def _offset(f):
    if f["cycles"] is None:
        return f"CPU {f['cpu']}: not measured"
    return f"CPU {f['cpu']}: {f['cycles']:+} cycles against CPU 0, ± {f['error']}"


def _cache(f):
    return f"L{f['level']}: {size(f['size'])}, {f['ways']} ways, {f['line']}-byte lines ({f['source']})"


def _clock(f):
    hz = f"{f['hz'] / 1e6:.1f} MHz by {f['basis']}" if f.get("hz") else "frequency unknown"
    steady = {0: ", not invariant", 1: ", invariant"}.get(f.get("invariant"), "")
    overhead = f", overhead {f['overhead']} cycles" if f.get("overhead") is not None else ""
    return f"{f.get('counter', f['source'])}, {hz}{steady}{overhead}, source {f['source']}"


def _model(f):
    if f.get("refused"):
        return f["refused"]
    more = _with(
        f, cpus="{} processors", page_bytes="pages of {} bytes", memory_latency_cycles="memory {} cycles away",
        outstanding_misses="{} misses under way at most", not_modelled="not modelled: {}",
    )
    return f"{f.get('machine')}, {f.get('clock_khz', 0) / 1000:.0f} MHz" + (f", {more}" if more else "")


def _pmu(f):
    if not f.get("events"):
        return f"{f['counters']} ({f.get('why')})"
    return f"{', '.join(f['events'])} ({f['counters']} at once)"


def _probe(f):
    found = f"{f['colors']} of {size(f['cache_bytes'])} in {f['frames']} frames (source {f['source']})"
    cost = _with(
        f, ways="{} ways stated", lines="{} lines throw one out", guessed="{} frames guessed", near_cycles="a hit {} cycles",
        far_cycles="a miss {}",
    )
    checks = f"; {f['wrong']} of {f['checked']} checks contradict" if f.get("checked") is not None else ""
    known = f", {f['known']}% of pairs known" if "known" in f else ""
    return f"{found}, {cost}{checks}; address bits alone: {f['verdict']}, right for {f['right']}% of pairs{known}"


def _linear(f):
    return f"of {size(f['cache_bytes'])}: page_color=xor:{f['masks']}, right for {f['right']}% of pairs, {f['known']}% known"


def _total(f):
    return f"{f['ram_pages'] * f['page_bytes'] >> 20} MiB free for subjects, pages of {f['page_bytes']} bytes"


def _node(f):
    return f"node {f['node']}: {f['ram_pages']} pages, CPUs {_list(f['cpus'])}, distances {_list(f['distance'])}"


def _own(f):
    colors = f"; of {f['allowed']} of {f['colors']} colours, but not {f['any_color']}" if "allowed" in f else ""
    return f"{f['start']} to {f['end']}, {f['used']} bytes used, {f['peak']} at most{colors}"


def own_text(f):
    """Pages of one kind: how many, of how many colours, and how many outside of those allowed."""
    more = _with(f, wanted="{} allowed", outside="{} pages outside of them or without translation")
    return f"{f['name']}: {f['pages']} pages of {f['got']} colours" + (f" ({more})" if more else "")


MACHINE = (
    ("machine", "cpus", "CPUs", _cpus),
    ("machine", "kind", "kind of core", lambda f: f"{f['kind']}: CPUs {_list(f['cpus'])}"),
    ("machine", "cache", "cache", _cache),
    ("machine", "clock", "clock", _clock),
    ("machine", "offset", "clocks apart", _offset),
    ("machine", "timer", "timer", lambda f: f"{f['source']}, {f['hz'] / 1e6:.1f} MHz"),
    ("machine", "model", "cache model", _model),
    ("machine", "pmu", "counters", _pmu),
    ("experiment", "probe", "colours probed", _probe),
    ("experiment", "linear", "colours are linear", _linear),
    ("memory", "total", "memory", _total),
    ("memory", "node", "node", _node),
    ("memory", "own", "kernel's own part", _own),
    ("memory", "own_kind", "kernel's own", own_text),
)


def levels(boot, exp):
    """[{level, cells}] and their titles: the cache whose colours count, lists of pages, nodes of the descriptors."""
    titles = {"colors": "colours", "cache": "of cache", "color_source": "by", "pcp": "page lists", "tables_bytes": "tables", "nodes": "descriptors by node"}
    found = []
    for name, f in exp.levels.items():
        row = {"colors": f.get("colors"), "color_source": f.get("color_source")}
        row["cache"] = f"{size(f['cache_bytes'])}, {f['ways']} ways" if f.get("cache_bytes") else None
        row["pcp"] = f"{f['pcp_batch']}:{f['pcp_high']}" if "pcp_batch" in f else None
        row["tables_bytes"] = size(f["tables_bytes"]) if "tables_bytes" in f else None
        for record in boot.of("experiment", exp=exp.name, what="descriptors", level=name):
            row["nodes"] = f"{_list(record.fields['nodes'])} pages; {record.fields['away']} descriptors away from their frame"
        found.append((name, row))
    used = [k for k in titles if any(row.get(k) not in (None, "") for _, row in found)]
    rows = [(name, ["-" if row.get(k) in (None, "") else row[k] for k in used]) for name, row in found]
    if len(rows) > 1 and all(cells == rows[0][1] for _, cells in rows):
        rows = [("all", rows[0][1])]
    return {"titles": [titles[k] for k in used], "rows": rows}


def own(boot, exp):
    """Sentences: with own_colors=, which colours the kernel's own pages had while a sample ran."""
    return [own_text(r.fields) for r in boot.of("experiment", exp=exp.name, what="own")]


def counters(boot, exp):
    """Sentences: what policies count about themselves, and blocks by node."""
    out = []
    for name in exp.levels:
        texts = [f"{r.fields['counter']} {r.fields['value']}" for r in boot.of("alloc", exp=exp.name, level=name) if "counter" in r.fields]
        for array, title in (("node_wanted", "asked for by node"), ("node_got", "got by node")):
            parts = boot.parts("alloc", "v", exp=exp.name, level=name, array=array)
            if parts:
                texts.append(f"{title} {_list(n for part in parts for n in part)}")
        if texts:
            out.append(f"{name}: {'; '.join(texts)}")
    return out


def traces(boot):
    """[text]: recorded traces, which tt trace takes out."""
    found = {r.fields["trace"]: r.fields for r in boot.of("trace")}
    return [f"{name}: {f['events']} events, {f['lost']} lost" for name, f in found.items()]
