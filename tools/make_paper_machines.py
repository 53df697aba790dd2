#!/usr/bin/env python3
"""Writes the bundled historical machines and profiles (data/machines, data/profiles) from data/paper.

data/paper holds the tables of R. H. Saavedra-Barrera, "Machine Characterization and Benchmark Performance
Prediction", NASA CR-177511 (1988), as restored from a poor scan: every cell with its reading, confidence and doubts.
Nothing is bent here: a cell that could not be restored is left out of the machine and said as a gap; a figure that was
computed from another table is `derived`, never `published`. With --check nothing is written; exit 1 when a file is out
of date."""
import json
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent
paper = root / "data" / "paper"
machines = json.loads((paper / "machines.json").read_text())["machines"]
programs = json.loads((paper / "programs.json").read_text())
predictions = json.loads((paper / "predictions.json").read_text())
SOURCE = "NASA CR-177511 (1988)"
FILE_NAMES = {
    "CRAY X-MP/48": "cray-x-mp-48", "CYBER 205": "cyber-205", "IBM 3090/200": "ibm-3090-200",
    "Amdahl 5840": "amdahl-5840", "Convex C-1": "convex-c1", "VAX 8600": "vax-8600", "VAX-11/785": "vax-11-785",
    "VAX-11/780": "vax-11-780", "Sun 3/50": "sun-3-50", "IBM RT-PC/125": "ibm-rt-pc-125"}
# Weighted flops of table 1 of Papaefstathiou et al. 1994 (after McMahon), by the first letters of an operation.
FLOPS = {"ARS": 1, "ARD": 1, "MRS": 1, "MRD": 1, "ERS": 1, "ERD": 1, "CRS": 1, "CRD": 1, "DRS": 4, "DRD": 4, "SQR": 4,
         "XRS": 8, "XRD": 8, "EXP": 8, "LOG": 8, "SIN": 8, "TAN": 8}


def joined(*remarks):
    return "; ".join(r for r in remarks if r)


def cost_of(cell, figure):
    """A Measurement of one cell of tables 9.1-9.3, or None when nothing is known."""
    doubt = cell.get("nine_ambiguity")
    doubt = f"a misread 9 would change it by up to {100 * doubt:.1f} %" if doubt else ""
    if cell["value"] is not None:
        cost = {"value": cell["value"]}
        if figure:
            cost["sd"] = figure
        cost["how"] = "published"
        if cell.get("not_detected"):
            cost.update(not_detected=True, limit=1)
        reading = f"scan reads {cell['ocr']}" if cell.get("corrected") else ""
        cost["note"] = joined("tables 9.1-9.3", f"confidence {cell['confidence']}", reading, cell.get("note"), doubt)
        return cost
    if cell.get("derived") is None:
        return None
    cost = {"value": cell["derived"]}
    if cell.get("derived_pm"):
        cost["sd"] = cell["derived_pm"]
    cost.update(how="derived", note=joined("not printed", cell.get("derived_from"), cell.get("note")))
    return cost


def figure_6_1_deviations():
    """Standard deviations per operation in ns, printed for the VAX-11/785 alone."""
    rows = predictions["figure_6_1"]["rows"]
    return {r["param"]: float(f"{1e9 * r['std_s'] / r['count']:.4g}") for r in rows if r["std_s"] > 0}


def rate(machine):
    """The poc rate: weighted flops of the Livermore statistics over their running time on this machine."""
    cell = predictions["table_6_1_6_2"]["Livermore"][machine["short"]]
    seconds = cell["real_s"] or cell.get("derived_real_s")
    if not seconds:
        return None
    flops = sum(r["count"] * FLOPS.get(r["param"][:3], 0) for r in programs["Livermore"]["rows"] if r["count"])
    note = "weighted flops of the Livermore loops over their running time, which is the printed prediction less its printed error"
    return {"value": float(f"{flops / seconds / 1e6:.4g}"), "how": "derived", "note": note}


def machine_file(name, machine):
    where = machine["table_4_1"]
    deviations = figure_6_1_deviations() if name == predictions["figure_6_1"]["machine"] else {}
    costs, gaps = {}, []
    for parameter, cell in machine["parameters"].items():
        cost = cost_of(cell, deviations.get(parameter))
        if cost:
            costs[parameter] = cost
        else:
            gaps.append({"what": f"{parameter}: " + (cell.get("note") or "no value")})
    mflops = rate(machine)
    if not mflops:
        gaps.append({"what": "mflops: the Livermore loops were not run"})
    clock = machine["table_4_8"]
    published = lambda ns: {"value": 1000 * ns, "how": "published", "note": "table 4.8"}
    file = {
        "format": "perfcast.machine", "version": 1, "name": FILE_NAMES[name],
        "description": f"{name}, {where['compiler']}, {where['memory']} (Saavedra 1988)",
        "made_by": {"perfcast": "tools/make_paper_machines.py", "system": where["operating_system"],
                    "compiler": where["compiler"], "more": {"source": SOURCE, "location": where["location"]}},
        "source": [{"language": "fortran", "compiler": where["compiler"], "costs": costs}]}
    if mflops:
        file["mflops"] = mflops
    file["system"] = {"clock_resolution_ns": published(clock["clock_resolution_us"]),
                      "clock_overhead_ns": published(clock["clock_overhead_us"])}
    file["gaps"] = gaps
    return file


def profile_file(name, program):
    usage, gaps = {}, []
    for row in program["rows"]:
        count = row["count"] if row["count"] is not None else row.get("derived")
        if count is None:
            gaps.append({"what": f"{row['param']}: {row.get('note', 'count lost')}"})
            continue
        usage[row["param"]] = count
        if row["count"] is None:
            gaps.append({"what": f"{row['param']}: count derived from the {row['derived_from']}", "weight": count})
    cover = program.get("printed_rows_cover")
    if isinstance(cover, (int, float)) and cover < 1:
        gaps.append({"what": f"the printed rows cover {100 * cover:.2f} % of the operations"})
    inferred = program.get("inferred_not_printed")
    if inferred:
        rows = ", ".join(f"{n} {p}" for p, n in inferred.items())
        gaps.append({"what": f"not printed, but implied by the known program: {rows}"})
    block = {"name": "run", "count": 1, "usage": usage}
    return {"format": "perfcast.profile", "version": 1, "program": f"saavedra-{name.lower()}",
            "made_by": {"perfcast": "tools/make_paper_machines.py",
                        "more": {"source": SOURCE + ", tables 5.5 and 5.6", "note": program.get("note") or ""}},
            "run": {"language": "fortran"},
            "source": {"functions": [{"name": name.lower(), "calls": 1, "blocks": [block]}]}, "gaps": gaps}


def outputs():
    for name, machine in machines.items():
        yield root / "data/machines" / f"{FILE_NAMES[name]}.machine.json", machine_file(name, machine)
    for name, program in programs.items():
        yield root / "data/profiles" / f"saavedra-{name.lower()}.profile.json", profile_file(name, program)


stale = []
for path, content in outputs():
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    if "--check" not in sys.argv:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        stale.append(path)
for path in stale:
    print(f"{path.relative_to(root)} is out of date; run tools/make_paper_machines.py")
sys.exit(bool(stale))
