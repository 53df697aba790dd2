#!/usr/bin/env python3
"""Is a busy neighbour recognised by characterize? bench/disturbed.py build/perfcast [SECTION...]: this machine is
characterized quickly twice, alone and with processes that keep every core busy half of the time, and the two machine files
are compared: how many costs moved by more than 10 %, and how many of those the file calls disturbed or gives an interval
that reaches the quiet value."""
import json, math, os, pathlib, signal, subprocess, sys, tempfile, time

program = os.path.abspath(sys.argv[1])
SPIN = "import time\nwhile True:\n t = time.monotonic()\n while time.monotonic() - t < 0.02: pass\n time.sleep(0.02)\n"


def characterize(folder, name, neighbours):
    busy = []
    for core in sorted(os.sched_getaffinity(0)):
        for _ in range(neighbours):
            busy.append(subprocess.Popen([sys.executable, "-c", SPIN], preexec_fn=lambda c=core: os.sched_setaffinity(0, {c})))
    try:
        start = time.monotonic()
        done = subprocess.run([program, "characterize", "--quick", "--name", name, "-o", name + ".json"], cwd=folder, env=dict(os.environ, PERFCAST_HOME=str(folder / "home")), capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{name}: refused, exit {done.returncode}: {done.stderr.strip()}")
            return None
        print(f"{name}: {time.monotonic() - start:.0f} s")
    finally:
        for process in busy:
            process.kill()
            process.wait()
    return json.loads((folder / (name + ".json")).read_text())


def measurements(value, path=""):
    if isinstance(value, dict):
        if "value" in value and isinstance(value["value"], (int, float)):
            yield path, value
        else:
            for key, inner in value.items():
                if key not in ("made_by", "gaps"):
                    yield from measurements(inner, path + "/" + key)
    elif isinstance(value, list):
        for k, inner in enumerate(value):
            key = inner.get("name") or inner.get("match", {}).get("opcode") if isinstance(inner, dict) else None
            yield from measurements(inner, f"{path}/{key or k}")


with tempfile.TemporaryDirectory() as place:
    folder = pathlib.Path(place)
    quiet = characterize(folder, "quiet", 0)
    crowded = characterize(folder, "crowded", 1)
    if quiet and crowded:
        before, after = dict(measurements(quiet)), dict(measurements(crowded))
        sections = {}
        for path, m in after.items():
            if path in before and before[path]["value"] > 0:
                section = path.split("/")[1]
                s = sections.setdefault(section, {"all": 0, "moved": 0, "told": 0, "worst": 0, "where": ""})
                change = m["value"] / before[path]["value"] - 1
                s["all"] += 1
                if abs(change) > 0.1:
                    s["moved"] += 1
                    reach = 2 * math.hypot(m.get("sd", 0), before[path].get("sd", 0))
                    s["told"] += bool(m.get("disturbed") or before[path].get("disturbed") or abs(m["value"] - before[path]["value"]) <= reach)
                    if abs(change) > abs(s["worst"]):
                        s["worst"], s["where"] = change, path
        print(f"{'section':12} {'numbers':>8} {'moved > 10 %':>13} {'of these told':>14} {'worst':>8}")
        for section, s in sections.items():
            print(f"{section:12} {s['all']:>8} {s['moved']:>13} {s['told']:>14} {100 * s['worst']:>7.0f} % {s['where']}")
        print("gaps:", len(quiet.get("gaps", [])), "quiet,", len(crowded.get("gaps", [])), "crowded")
        print(subprocess.run([program, "machines", "compare", "quiet.json", "crowded.json"], cwd=folder, capture_output=True, text=True).stdout[-1500:])
