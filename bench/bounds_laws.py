#!/usr/bin/env python3
"""How often do the laws of the MACS hierarchy break? Analyses programs, bounds their loops on this machine and counts.

  bench/bounds_laws.py build/perfcast MACHINE [--suite SUITE.json]... [--only NAME]... [--keep FOLDER] [--analyze] [--log FILE]

A loop counts when its measured time is known to 3 % (one standard deviation of the sampling). Prints every loop whose MACS
exceeds its measured time by more than 3 %, every other law the tool lists as broken, and the shares. --log appends a line of
JSON per loop, so that programs may be run one by one; --read FILE sums such a log up instead of running anything. --keep keeps
profiles in a folder and uses them again, --analyze makes them only: analyse on a busy machine, measure on a quiet one."""
import argparse, json, os, pathlib, subprocess, tempfile, time

root = pathlib.Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser()
parser.add_argument("perfcast"), parser.add_argument("machine")
for name in ("--suite", "--only"):
    parser.add_argument(name, action="append", default=[])
parser.add_argument("--log"), parser.add_argument("--read"), parser.add_argument("--keep"), parser.add_argument("--analyze", action="store_true")
parser.add_argument("--hot", default="0.005")
options = parser.parse_args()
perfcast = os.path.abspath(options.perfcast)
machine = os.path.abspath(options.machine) if os.path.exists(options.machine) else options.machine


def loops_of(program, folder):
    """Analyse, bound; a row per loop."""
    with tempfile.TemporaryDirectory() as scratch:
        profile = os.path.join(os.path.abspath(options.keep) if options.keep else scratch, program["name"] + ".profile.json")
        command = [perfcast, "analyze", *program["sources"], "--cflags", program.get("cflags", "-O2"), "-o", profile]
        if program.get("input"):
            command += ["--input", program["input"]]
        done = None
        if not os.path.exists(profile):
            done = subprocess.run(command + ["--", *map(str, program.get("args", []))], cwd=folder, capture_output=True, text=True)
        if options.analyze:
            return []
        start = time.time()
        if not done or done.returncode == 0:
            done = subprocess.run([perfcast, "bounds", profile, "--machine", machine, "--hot", options.hot, "--format", "json"], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{program['name']}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'failed'}")
            return []
        seconds = time.time() - start
    result = json.loads(done.stdout)
    broken = {}
    for law in result.get("broken_laws", []):
        broken.setdefault((law["function"], law["at"].get("line")), []).append([law["law"], law["by"]])
    keys = ("function", "line", "m", "ma", "mac", "macs", "window", "overlap", "measured", "measured_error", "share", "limited_by", "entries", "iterations", "t_d", "p_parts")
    return [{"program": program["name"], "seconds": seconds, "broken": broken.get((l["function"], l["line"]), []), **{k: l.get(k) for k in keys}} for l in result["loops"]]


rows = []
if options.read:
    rows = [json.loads(line) for line in open(options.read)]
else:
    for suite in options.suite or [root / "bench" / "bounds_suite.json"]:
        suite = pathlib.Path(suite).resolve()
        for program in json.loads(suite.read_text())["programs"]:
            if not options.only or program["name"] in options.only:
                rows += loops_of(program, suite.parent)
if options.log:
    with open(options.log, "a") as log:
        log.writelines(json.dumps(row) + "\n" for row in rows)

measured = [r for r in rows if r["measured"] and r["measured_error"] <= 0.03 * r["measured"]]
above = [r for r in measured if r["macs"] > 1.03 * r["measured"]]
for r in above:
    print(f"{r['program']:14} {r['function']}:{r['line']:<5} macs {r['macs']:.3f} measured {r['measured']:.3f} +- {r['measured_error']:.3f} "
          f"{100 * (r['macs'] / r['measured'] - 1):+.1f} %  W {r['window']:.3f}  mac {r['mac']:.3f} {r['limited_by'].get('mac', '')}")
others = [(r, law) for r in rows for law in r["broken"] if law[0] != "macs <= measured"]
for r, (law, by) in others:
    print(f"{r['program']:14} {r['function']}:{r['line']:<5} {law} broken by {100 * by:.1f} %")
seconds = sum({r["program"]: r["seconds"] for r in rows}.values())
print(f"{len(rows)} loops, {len(measured)} measured to 3 %; macs > measured by more than 3 %: {len(above)} ({100 * len(above) / max(1, len(measured)):.1f} %); "
      f"other laws out of order before: {len(others)} ({100 * len(others) / max(1, len(rows)):.1f} % of loops); {seconds:.0f} s in bounds")
