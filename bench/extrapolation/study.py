#!/usr/bin/env python3
"""How far off is an extrapolation by itself, whatever the engine's own errors? Each kernel of kernels.c is analysed with --param
at a small size; what `scale` says of it at sizes 8 to 64 times larger is held against `predict` of a profile made AT that size, on the
same machine file. No clock is involved, so this runs on a crowded machine, for any machine.

Usage: bench/extrapolation/study.py [--machine M]... [--keep FOLDER] [--jobs J] [--only analyze] [KERNEL...]
                                                        (from the project's root, after ./scripts/build)

Printed are the differences, what widths of intervals they ask for (the spreads of src/methods/scale/scale.cc follow from these),
and how many lie within the intervals that `scale` gives.
"""
import argparse, json, math, os, re, subprocess, tempfile
from concurrent.futures import ThreadPoolExecutor

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
perfcast = os.environ.get("PERFCAST", os.path.join(root, "build", "perfcast"))
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels.c")

# The small size and the large ones: N, or N and M.
KERNELS = {
    "triad": (4000, 32000, 256000), "reduction": (6000, 48000, 384000), "prefix": (6000, 48000, 384000),
    "gather": (4000, 32000, 256000), "list": (2000, 16000, 128000), "hash": (3000, 24000, 192000),
    "heapsort_": (4000, 32000, 256000), "search": (4000, 32000, 256000), "counting": (8000, 64000, 512000),
    "sparse": (2000, 16000, 128000), "columns": (100, 800, 1600), "transpose": (80, 640, 1280),
    "stencil": (80, 640, 1280), "triangular": (120, 960, 1920), "distance": (250, 2000, 4000),
    "product": (64, 512), "blocked": (64, 512), "cube": (24, 96, 192),
    "passes": ((4000, 20), (256000, 20), (64000, 100)), "rectangle": ((64, 64), (64, 16384), (512, 512)),
}
# What is wrong with these at small sizes is in their counts (collisions that come and go, no tile left yet), whatever the distance.
NOT_FITTED = ("hash", "blocked")
MORE = {"aarch64": ["--target", "aarch64-linux-gnu", "--mcpu", "neoverse-v1"]}  # analysed for the machine's instruction set


def run(*args):
    done = subprocess.run([perfcast, *args], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(" ".join(args) + ": " + done.stderr.strip())
    return done.stdout


def isa_of(machine):
    path = machine if os.path.exists(machine) else os.path.join(root, "data", "machines", machine + ".machine.json")
    return json.load(open(path))["isa"]


def setting(size):
    return dict(zip(("N", "M"), size if isinstance(size, tuple) else (size,)))


def profile_of(kernel, size, isa, keep, small):
    values = [str(v) for v in setting(size).values()]
    path = os.path.join(keep, f"{kernel}-{'-'.join(values)}-{isa}{'-small' if small else ''}.profile.json")
    if not os.path.exists(path):
        # Bursts blur what a large run reuses far away: it is watched from beginning to end.
        how = [word for k, name in enumerate(setting(size)) for word in ("--param", f"{name}=ARG{k + 1}")] if small else ["--whole-run"]
        flags = f"-O2 -DKERNEL={kernel}"
        run("analyze", source, "--cflags", flags, *how, *MORE.get(isa, []), "--levels", "ir,machine,memory", "-o", path, "--", *values)
    return path


def compare(kernel, machine, keep):
    small, *large = KERNELS[kernel]
    isa, points = isa_of(machine), []
    profile = profile_of(kernel, small, isa, keep, True)
    at = [word for size in large for word in ("--at", ",".join(f"{k}={v}" for k, v in setting(size).items()))]
    equation = json.loads(run("scale", profile, "--machine", machine, *at, "--format", "json"))
    levels = [level["name"] for level in json.loads(run("machines", "show", machine, "--format", "json"))["memory"]["levels"]]
    for size, point in zip(large, equation["at"]):
        whole = profile_of(kernel, size, isa, keep, False)
        known = json.loads(run("predict", whole, "--machine", machine, "--alone", "--format", "json"))["predictions"][0]
        crossed = 0
        for warning in point.get("warnings", []):
            if found := re.search(r"come from (\S+); .* came from (\S+):", warning):
                crossed = levels.index(found[1]) - levels.index(found[2])
        part = lambda parts, word: sum(s for name, s in parts.items() if name.startswith(word))
        known_parts = {p["name"]: p["seconds"] for p in known["parts"]}
        points.append({"kernel": kernel, "machine": machine, "size": ",".join(str(v) for v in setting(size).values()),
                       "doublings": max(math.log2(v / setting(small)[name]) for name, v in setting(size).items()), "crossed": crossed,
                       "scale": point["seconds"], "predict": known["seconds"], "error": math.log(point["seconds"] / known["seconds"]),
                       "memory": part(point["parts"], "memory") / point["seconds"], "known memory": part(known_parts, "memory") / known["seconds"],
                       "parts": point["parts"], "known parts": known_parts, "shares": equation["shares"],
                       "width": math.log(point["interval"][1] / point["interval"][0]) / 2})
    return points


def show(points):
    print(f"{'kernel':11}{'machine':>15}{'size':>10}{'larger':>8}{'levels':>7}{'scale':>10}{'predict':>10}{'error':>8}{'memory':>8}{'known':>7} within")
    for p in points:
        inside = abs(p["error"]) <= p["width"]
        print(f"{p['kernel']:11}{p['machine']:>15}{p['size']:>10}{2 ** p['doublings']:8.0f}{p['crossed']:7}{p['scale']:10.3g}{p['predict']:10.3g}"
              f"{100 * math.expm1(p['error']):+7.1f}%{100 * p['memory']:7.0f}%{100 * p['known memory']:6.0f}% {'yes' if inside else 'NO'}")


def spread(p, doubling, level):
    """Of the extrapolation alone, as src/methods/scale/scale.cc has it: for each doubling, and for each level of memory that no run has
    exercised by the share of the time that is spent on memory."""
    least = 0.03
    return math.hypot(least, doubling * p["doublings"], level * p["crossed"] * p["memory"])


def fit(points):
    """The spreads with which these differences are likeliest."""
    points = [p for p in points if p["kernel"] not in NOT_FITTED]
    surprise = lambda d, l: sum(math.log(s) + 0.5 * (p["error"] / s) ** 2 for p in points if (s := spread(p, d, l)))
    _, d, l = min((surprise(d, l), d, l) for d in [k * 0.0025 for k in range(41)] for l in [k * 0.02 for k in range(61)])
    inside = sum(abs(p["error"]) <= 1.7 * spread(p, d, l) for p in points)  # 90 % of Student's distribution, as scale has it
    print(f"\nlikeliest spreads: {d:.4f} per doubling, {l:.2f} per level times the share of memory; {100 * inside / len(points):.0f} % would lie in intervals of 90 % made of these alone")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--machine", action="append"), parser.add_argument("--keep"), parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", choices=["analyze"]), parser.add_argument("kernel", nargs="*")
    args = parser.parse_args()
    machines = args.machine or ["emerald-rapids", "neoverse-v1"]
    kernels = args.kernel or list(KERNELS)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(args.jobs) as pool:
        keep = os.path.abspath(args.keep) if args.keep else scratch
        os.makedirs(keep, exist_ok=True)
        if args.only == "analyze":
            for job in [pool.submit(profile_of, k, n, isa_of(m), keep, n == KERNELS[k][0]) for m in machines for k in kernels for n in KERNELS[k]]:
                job.result()
            return
        points = []
        for job in [pool.submit(compare, k, m, keep) for m in machines for k in kernels]:
            try:
                points += job.result()
            except RuntimeError as error:
                print(error)
    show(points)
    if not points or all(p["kernel"] in NOT_FITTED for p in points):
        return
    errors = [abs(math.expm1(p["error"])) for p in points]
    print(f"\nmean difference {100 * sum(errors) / len(errors):.1f} %, within the intervals {100 * sum(abs(p['error']) <= p['width'] for p in points) / len(points):.0f} %")
    fit(points)
    if args.keep:
        json.dump(points, open(os.path.join(keep, "points.json"), "w"), indent=1)


main()
