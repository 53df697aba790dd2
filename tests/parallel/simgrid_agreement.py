#!/usr/bin/env python3
"""The closed forms of templates against SimGrid on hosts with the same latency and bandwidth: they must agree where nobody
shares a link. usage: simgrid_agreement.py PERFCAST [RANKS...]"""
import json, os, pathlib, subprocess, sys, time

perfcast = os.path.abspath(sys.argv[1])
ranks = [int(a) for a in sys.argv[2:]] or [2, 16, 256]
profile = pathlib.Path(__file__).parent.parent / "golden/predict/template/tiny.profile.json"
if not os.path.exists(os.path.join(os.path.dirname(perfcast), "perfcast-simgrid")):
    print("perfcast was built without SimGrid")
    sys.exit(0)
# The distance the two may be apart: SimGrid's collectives are particular trees, the closed forms the best of several.
cases = [("halo", {"N": 1000, "steps": 20}, 0.05), ("butterfly", {"N": 65536}, 0.05), ("pipeline", {"N": 1000}, 0.1),
         ("multiphase", {"phases": 20}, 0.3), ("reduction", {}, 0.3), ("all-to-all", {"N": 4096, "steps": 5}, 0.5)]
failed = 0
for name, parameters, within in cases:
    for p in ranks:
        if name == "all-to-all" and p > 64:
            continue
        seconds = []
        started = time.time()
        for network in ([], ["--network", "simgrid", "--platform", "measured"]):
            words = [f"--set={k}={v}" for k, v in parameters.items()]
            done = subprocess.run([perfcast, "predict", str(profile), "--machine", "toy", "--template", name, "--ranks", str(p), *words, *network, "--format", "json"],
                                  capture_output=True, text=True, timeout=300 * int(os.environ.get("PERFCAST_TEST_PATIENCE", "1")))
            if done.returncode:
                print(name, p, done.stderr)
                sys.exit(1)
            seconds.append(json.loads(done.stdout)["predictions"][0]["seconds"])
        apart = seconds[1] / seconds[0] - 1
        ok = abs(apart) <= within
        failed += not ok
        print(f"{name:12} {p:5} ranks: closed form {1e3 * seconds[0]:9.4f} ms, SimGrid {1e3 * seconds[1]:9.4f} ms, {100 * apart:+6.1f} %  ({time.time() - started:.1f} s) {'' if ok else 'TOO FAR'}")
sys.exit(bool(failed))
