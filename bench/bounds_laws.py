#!/usr/bin/env python3
"""How often do the laws of the MACS hierarchy break? Analyses programs, bounds their loops on this machine and counts.

  bench/bounds_laws.py build/perfcast MACHINE [SUITE.json]...    default: bench/bounds_suite.json

A loop counts when its measured time is known to 3 % (one standard deviation of the sampling). Prints every loop whose MACS
exceeds its measured time by more than 3 %, and the share of such loops."""
import json, os, pathlib, subprocess, sys, tempfile, time

perfcast, machine, suites = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
root = pathlib.Path(__file__).resolve().parent.parent
counted = broken = ordered = 0
seconds = 0.0
for suite in suites or [root / "bench" / "bounds_suite.json"]:
    suite = pathlib.Path(suite).resolve()
    for program in json.loads(suite.read_text())["programs"]:
        with tempfile.TemporaryDirectory() as scratch:
            profile = scratch + "/p.json"
            command = [perfcast, "analyze", *program["sources"], "--cflags", program.get("cflags", "-O2"), "-o", profile]
            if program.get("input"):
                command += ["--input", program["input"]]
            done = subprocess.run(command + ["--", *map(str, program.get("args", []))], cwd=suite.parent, capture_output=True, text=True)
            start = time.time()
            if done.returncode == 0:
                done = subprocess.run([perfcast, "bounds", profile, "--machine", machine, "--format", "json"], cwd=suite.parent, capture_output=True, text=True)
            seconds += time.time() - start
            if done.returncode != 0:
                print(f"{program['name']}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'failed'}")
                continue
        result = json.loads(done.stdout)
        ordered += sum(law["law"] != "macs <= measured" for law in result.get("broken_laws", []))
        for loop in result["loops"]:
            if loop["measured"] is None or loop["measured_error"] > 0.03 * loop["measured"]:
                continue
            counted += 1
            excess = loop["macs"] / loop["measured"] - 1
            if excess > 0.03:
                broken += 1
                print(f"{program['name']:14} {loop['function']}:{loop['line']:<5} macs {loop['macs']:.3f} measured {loop['measured']:.3f} {100 * excess:+.1f} %  W {loop['window']:.3f}  {loop['limited_by'].get('mac', '')}")
print(f"{counted} loops measured to 3 %; macs > measured by more than 3 %: {broken} ({100 * broken / max(1, counted):.1f} %); other laws out of order before clamping: {ordered}; {seconds:.0f} s in bounds")
