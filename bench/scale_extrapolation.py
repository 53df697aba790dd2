#!/usr/bin/env python3
"""How well does `perfcast scale` extrapolate? For each program of validation/scale: analysed and timed at small sizes, then
asked for sizes 8 times larger and more, which are timed as well. Beside it, a fit of times alone: N^i log2(N)^j with the
exponents chosen by cross validation, on the same timed runs.

Usage: bench/scale_extrapolation.py [--machine M] [PROGRAM...]      (from the project's root, after ./scripts/build)
"""
import json, math, os, subprocess, sys, tempfile

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
perfcast = os.path.join(root, "build", "perfcast")
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
            f = lambda n: n ** i * math.log2(n) ** j
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


def main():
    args = sys.argv[1:]
    machine = []
    if "--machine" in args:
        at = args.index("--machine")
        machine = args[at:at + 2]
        machine[1] = os.path.abspath(machine[1]) if os.path.exists(machine[1]) else machine[1]
        del args[at:at + 2]
    suite = json.load(open(os.path.join(folder, "suite.json")))["programs"]
    ours, theirs, covered = [], [], []
    print(f"{'program':10}{'N':>9}{'measured':>11}{'scale':>11}{'error':>8}  {'interval':>21} in  {'times only':>11}{'error':>8}  exact")
    for program in suite:
        if args and program["name"] not in args:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            profile = os.path.join(scratch, "p.json")
            try:
                run("analyze", *program["sources"], "--cflags", program["cflags"], "--param", "N=ARG1", "--levels", "ir,machine,memory", "-o", profile, "--", str(program["small"]))
                at = [w for n in program["large"] for w in ("--at", f"N={n}")]
                equation = json.loads(run("scale", profile, *machine, *at, "--check", "--format", "json"))
            except RuntimeError as error:
                print(f"{program['name']:10} {error}")
                continue
        runs = equation["calibration_runs"]
        alone = normal_form([r["set"]["N"] for r in runs], [r["seconds"] for r in runs])
        exact = equation["shares"].get("proved", 0) + equation["shares"].get("interpolated", 0)
        for p in equation["at"]:
            if not p.get("measured"):
                continue
            n, m, s, t = p["set"]["N"], p["measured"], p["seconds"], alone(p["set"]["N"])
            inside = p["interval"][0] <= m <= p["interval"][1]
            ours.append(abs(s / m - 1)), theirs.append(abs(t / m - 1)), covered.append(inside)
            print(f"{program['name']:10}{n:9.0f}{m:11.4g}{s:11.4g}{100 * (s / m - 1):+7.1f}%  {p['interval'][0]:10.4g}{p['interval'][1]:11.4g} {'yes' if inside else 'no ':3}{t:11.4g}{100 * (t / m - 1):+7.1f}%  {100 * exact:5.1f}%")
    if ours:
        print(f"\nmean error {100 * sum(ours) / len(ours):.1f} %, intervals cover {100 * sum(covered) / len(covered):.0f} %; times only {100 * sum(theirs) / len(theirs):.1f} %")


main()
