#!/usr/bin/env python3
"""How well does `perfcast scale` extrapolate? For each program of validation/scale: analysed at small sizes, timed at small
sizes, then asked for sizes 8 times the largest that was run and more, which are timed as well. Beside it, a fit of times
alone: N^i log2(N)^j with the exponents chosen by cross validation, on the same timed runs.

Usage: bench/scale_extrapolation.py [--machine M] [--keep FOLDER] [--only analyze|time|compare] [--processors threads|ranks]
                                    [PROGRAM...]                   (from the project's root, after ./scripts/build)

--keep      profiles and times stay in this folder and are used again: analyse on a busy machine, time on a quiet one, and
            compare as often as one likes
--processors  T(N, P) instead: the six applications with threads (-fopenmp) or ranks (-DUSE_MPI), analysed at small sizes
            and asked for at large ones on 1 and 2 processors
"""
import argparse, json, math, os, subprocess, tempfile, time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
perfcast = os.environ.get("PERFCAST", os.path.join(root, "build", "perfcast"))
folder = os.path.join(root, "validation", "scale")


def run(*args):
    done = subprocess.run([perfcast, *args], capture_output=True, text=True, cwd=folder)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def solve(rows, y):
    """Least squares by normal equations, two unknowns at most."""
    if len(rows[0]) == 1:
        return [sum(r[0] * t for r, t in zip(rows, y)) / max(1e-300, sum(r[0] ** 2 for r in rows))]
    a = sum(r[0] * r[0] for r in rows); b = sum(r[0] * r[1] for r in rows); d = sum(r[1] * r[1] for r in rows)
    u = sum(r[0] * t for r, t in zip(rows, y)); v = sum(r[1] * t for r, t in zip(rows, y))
    det = a * d - b * b
    return [(u * d - v * b) / det, (v * a - u * b) / det] if abs(det) > 1e-300 else [0, 0]


def normal_form(sizes, seconds):
    """c0 + c1 N^i log2(N)^j, relative weights, leave-one-out choice of i and j."""
    best = None
    for i in [k / 4 for k in range(0, 17)]:
        for j in (0, 1, 2):
            if i == 0 and j == 0:
                continue
            f = lambda n, i=i, j=j: n ** i * math.log2(n) ** j
            def fit(ns, ts):
                c = solve([[1 / t, f(n) / t] for n, t in zip(ns, ts)], [1.0] * len(ns))
                return c if c[0] >= 0 and c[1] >= 0 else [0] + solve([[f(n) / t] for n, t in zip(ns, ts)], [1.0] * len(ns))
            error = 0
            for out in range(len(sizes)):
                c = fit(sizes[:out] + sizes[out + 1:], seconds[:out] + seconds[out + 1:])
                error += abs((c[0] + c[1] * f(sizes[out])) / seconds[out] - 1)
            if best is None or error < best[0]:
                best = (error, fit(sizes, seconds), f)
    return lambda n: best[1][0] + best[1][1] * best[2](n)


def analyze(program, keep, processors):
    profile = os.path.join(keep, program["name"] + (f"-{processors}" if processors else "") + ".profile.json")
    if not os.path.exists(profile):
        flags, more = program["cflags"], []
        if processors == "threads":
            flags, more = flags + " -fopenmp", ["--threads", "2"]
        if processors == "ranks":
            flags, more = flags + " -DUSE_MPI", ["--ranks", "1,2,3,4"]
        begin = time.time()
        run("analyze", *program["sources"], "--cflags", flags, "--param", "N=ARG1", "--levels", "ir,machine,memory", *more, "-o", profile, "--", *program["args"])
        print(f"  analysed {os.path.basename(profile)} in {time.time() - begin:.0f} s", flush=True)
    return profile


def times(program, profile, keep, machine, processors):
    """Small sizes, which calibrate, and the large ones; all timed by perfcast itself."""
    kept = profile.replace(".profile.json", ".times.json")
    if not os.path.exists(kept):
        settings = [f"N={n}" + (f",P={p}" if processors else "") for n in program["large"] for p in ((1, 2) if processors else (1,))]
        at = [w for s in settings for w in ("--at", s)]
        equation = json.loads(run("scale", profile, *machine, *at, "--check", "--format", "json"))
        value = {"small": [[r["set"], r["seconds"]] for r in equation["calibration_runs"]], "large": [[p["set"], p["measured"]] for p in equation["at"] if p.get("measured")]}
        json.dump(value, open(kept, "w"), indent=1)
    return json.load(open(kept))


def compare(program, profile, timed, machine, scratch):
    runs = os.path.join(scratch, "runs.json")
    name = json.load(open(profile))["program"]
    json.dump({"format": "perfcast.runs", "version": 1, "runs": [{"program": name, "set": s, "seconds": t} for s, t in timed["small"]]}, open(runs, "w"))
    at = [w for s, _ in timed["large"] for w in ("--at", ",".join(f"{k}={v:.0f}" for k, v in s.items()))]
    calibrated = json.loads(run("scale", profile, *machine, *at, "--runs", runs, "--format", "json"))
    plain = json.loads(run("scale", profile, *machine, *at, "--format", "json"))
    return calibrated, plain


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--machine"), parser.add_argument("--keep"), parser.add_argument("--only", choices=["analyze", "time", "compare"])
    parser.add_argument("--processors", choices=["threads", "ranks"]), parser.add_argument("program", nargs="*")
    args = parser.parse_args()
    machine = ["--machine", os.path.abspath(args.machine) if os.path.exists(args.machine) else args.machine] if args.machine else []
    suite = json.load(open(os.path.join(folder, "suite.json")))["programs"]
    suite = [p for p in suite if (not args.program or p["name"] in args.program) and (not args.processors or "parallel" in p["sources"][0])]
    ours, theirs, covered, uncalibrated = [], [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        keep = os.path.abspath(args.keep) if args.keep else scratch
        os.makedirs(keep, exist_ok=True)
        if args.only in (None, "compare"):
            print(f"{'program':9}{'at':>14}{'measured':>10}{'scale':>10}{'error':>8} {'interval':>21} in {'no runs':>8} {'times only':>10}{'error':>9}  {'exact':>6}{'+H':>7}")
        for program in suite:
            try:
                profile = analyze(program, keep, args.processors)
                if args.only == "analyze":
                    continue
                timed = times(program, profile, keep, machine, args.processors)
                if args.only == "time":
                    continue
                equation, plain = compare(program, profile, timed, machine, scratch)
            except RuntimeError as error:
                print(f"{program['name']:9} {error}", flush=True)
                continue
            alone = normal_form([s["N"] for s, _ in timed["small"]], [t for _, t in timed["small"]])
            exact = equation["shares"].get("proved", 0) + equation["shares"].get("interpolated", 0)
            for p, q, (_, m) in zip(equation["at"], plain["at"], timed["large"]):
                s, t = p["seconds"], alone(p["set"]["N"]) / (p["set"].get("P", 1))
                inside = p["interval"][0] <= m <= p["interval"][1]
                ours.append(abs(s / m - 1)), theirs.append(abs(t / m - 1)), covered.append(inside), uncalibrated.append(abs(q["seconds"] / m - 1))
                where = ",".join(f"{k}={v:.0f}" for k, v in p["set"].items())
                print(f"{program['name']:9}{where:>14}{m:10.4g}{s:10.4g}{100 * (s / m - 1):+7.1f}% {p['interval'][0]:10.4g}{p['interval'][1]:11.4g} {'yes' if inside else 'no ':3}"
                      f"{100 * (q['seconds'] / m - 1):+7.1f}% {t:10.4g}{100 * (t / m - 1):+8.1f}%  {100 * exact:5.1f}%{100 * equation['shares'].get('exact given hidden', 0):6.1f}%", flush=True)
    if ours:
        mean = lambda v: 100 * sum(v) / len(v)
        print(f"\nmean error {mean(ours):.1f} % (without runs of its own {mean(uncalibrated):.1f} %), intervals cover {mean(covered):.0f} %; times only {mean(theirs):.1f} %")


main()
