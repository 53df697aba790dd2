#!/usr/bin/env python3
"""Writes data/calibration/suite.json: each kernel of kernels.c at -O0, -O2 and -O3, sized for some tenths of a second.
With --check it only says whether the file is up to date."""
import json, pathlib, re, sys

folder = pathlib.Path(__file__).parent.parent / "data/calibration"
text = (folder / "kernels.c").read_text()
SMALL = {"chain_divide": 12, "chain_root": 10, "chain_collatz": 1, "chain_remainder": 25, "call_math": 15, "call_memory": 60,
         "branch_random": 20, "branch_switch": 15, "call_pointer": 40, "sort_small": 25}
SIZES = [200_000, 1_000_000, 6_000_000, 60_000_000]
# Memory behaviours that optimised code shows as well as any.
ONLY_O2 = {"stream_copy", "stream_axpy", "stream_ints", "rows_sparse", "probe_table", "chase_items", "walk_records", "copy_turned", "relax_box",
           "gather_long", "matrix_rows"}
WORK = {"probe_table": 6, "chase_items": 2, "walk_records": 20, "copy_turned": 15, "gather_long": 20, "stream_ints": 150, "chase_random": 2, "search_sorted": 8, "scatter_random": 12, "gather_random": 15, "walk_columns": 15}

programs = []
for level in ("-O0", "-O2", "-O3"):
    for name, arguments in re.findall(r"^KEEP double (\w+)\(long n(, long bytes)?\)", text, re.M):
        if name in ONLY_O2 and level != "-O2":
            continue
        for size in SIZES if arguments else [None]:
            millions = (WORK.get(name, 60) if size else SMALL.get(name, 80)) * (0.4 if level == "-O0" else 1)
            flags = f"{level} -DKERNEL={name}" + (f" -DBYTES={size}" if size else "") + " -lm"
            programs.append({"name": f"{name}{'-' + str(size // 1000) + 'k' if size else ''}{level}", "sources": ["kernels.c"],
                             "cflags": flags, "args": [str(int(millions * 1e6))]})

out = "{\"programs\": [\n" + ",\n".join(" " + json.dumps(p) for p in programs) + "\n]}\n"
path = folder / "suite.json"
if "--check" in sys.argv:
    sys.exit(0 if path.exists() and path.read_text() == out else "data/calibration/suite.json is not up to date")
path.write_text(out)
print(len(programs), "entries")
