#!/usr/bin/env python3
"""What does perfcast bounds say of parallel regions, and what does a trace hold? A real OpenMP program is counted with 1 to 4
threads and not timed: iterations by thread, balanced and actual bound, imbalance, regions that are conditional, nested or
limited. Then one of its loops is traced with two threads, address by address.

  tests/bounds/threads.py build/perfcast"""
import json, os, pathlib, platform, struct, subprocess, sys, tempfile

here = pathlib.Path(__file__).resolve().parent
source = here / "threads.c"
machine = "neoverse-v1" if platform.machine() == "aarch64" else "emerald-rapids"
perfcast = str(pathlib.Path(sys.argv[1]).resolve())
problems = []


def run(*words, **more):
    done = subprocess.run([perfcast, *words], capture_output=True, text=True, env={**os.environ, **more})
    if done.returncode != 0:
        sys.exit(f"perfcast {' '.join(words)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def expect(true, what):
    if not true:
        problems.append(what)


def near(value, wanted, tolerance, what):
    expect(abs(value - wanted) <= tolerance, f"{what}: {value:.6g}, not {wanted:.6g}")


def check_threads(bounds):
    by_number = {t["threads"]: t for t in bounds["threads"]}
    expect(list(by_number) == [1, 2, 3, 4], f"numbers of threads: {list(by_number)}")
    n = 600
    for threads, at in by_number.items():
        regions = {r["function"]: r for r in at["regions"]}
        expect("alone" not in regions, "a region whose condition does not hold is sequential")
        expect(sorted(regions) == ["asked", "even", "limited", "nested", "sometimes", "triangle"], f"regions with {threads} threads: {sorted(regions)}")
        if sorted(regions) != ["asked", "even", "limited", "nested", "sometimes", "triangle"]:
            continue
        even, triangle, limited, nested = (regions[name] for name in ("even", "triangle", "limited", "nested"))
        near(even["imbalance"], 0, 0.02, f"imbalance of an even loop, {threads} threads")
        near(sum(even["iterations"]), 2 * 100000, 20, f"iterations of the even loop, {threads} threads")
        near(max(even["iterations"]), 2 * 100000 / threads, 20, f"iterations of its busiest thread, {threads} threads")
        # Its nine short calls for each long one run on one thread and are no part of it.
        near(regions["sometimes"]["imbalance"], 0, 0.02, f"imbalance of a region that is parallel at times, {threads} threads")
        near(sum(regions["sometimes"]["iterations"]), 2 * 12000, 200, f"iterations of the region that is parallel at times, {threads} threads")
        # Every other time it asks for one thread, and is sequential; else for two, whatever their number elsewhere.
        near(regions["asked"]["imbalance"], 0, 0.02, f"imbalance of a region that asks for two threads at times, {threads} threads")
        near(sum(regions["asked"]["iterations"]), 2 * 2 * 12000, 200, f"iterations of the region that asks for two threads at times, {threads} threads")
        expect(limited["threads"] == 1 and abs(limited["actual_seconds"] / limited["balanced_seconds"] - 1) < 0.01, "a region limited to one thread")
        # Iteration i of the triangle sums i numbers: the last thread has the longest ones.
        share = [n * t // threads for t in range(threads + 1)]
        work = [sum(range(a, b)) for a, b in zip(share, share[1:])]
        near(triangle["imbalance"], max(work) * threads / sum(work) - 1, 0.03, f"imbalance of the triangle, {threads} threads")
        # Its inner loop is part of the region, with iterations of its own: each thread's are its part of the triangle.
        near(max(triangle["iterations"]) / sum(triangle["iterations"]), max(work) / sum(work), 0.02, f"the busiest thread's iterations, {threads} threads")
        near(nested["imbalance"], 0, 0.02 if 100 % threads == 0 else 0.06, f"imbalance of the nested region, {threads} threads")
        expect(nested["threads"] == threads, "a nested region without threads of its own belongs to the one around it")
        parts = sum(r["actual_seconds"] for r in at["regions"])
        near(at["actual_seconds"], at["sequential_seconds"] + parts, 1e-9, "equation 4.19")
        expect(at["balanced_seconds"] <= at["actual_seconds"] * 1.000001, "balanced <= actual")
        near(sum(r["balanced_seconds"] * r["threads"] for r in at["regions"]), sum(r["balanced_seconds"] * r["threads"] for r in by_number[1]["regions"]),
             0.02 * sum(r["balanced_seconds"] * r["threads"] for r in by_number[1]["regions"]), f"work with {threads} threads is the work with one")
    expect("measured_seconds" not in by_number[2] or by_number[2]["measured_seconds"] is None, "not timed")


def read_trace(path):
    data = path.read_bytes()
    letters, version, record, thread, _, limit = struct.unpack_from("=8sIIIIQ", data)
    expect(letters == b"PFTRACE1" and version == 1 and record == 16, f"head of {path.name}")
    return thread, [struct.unpack_from("=QIHBB", data, 32 + 16 * k) for k in range((len(data) - 32) // 16)]


def check_trace(folder, line):
    files = sorted(folder.glob("trace.*"))
    expect(len(files) == 2, f"a file for each of two threads: {[f.name for f in files]}")
    seen = []
    for number, path in enumerate(files):
        thread, records = read_trace(path)
        expect(thread == number, f"{path.name} is of thread {thread}")
        expect(all(line - 1 <= r[1] <= line for r in records), "lines of the loop")
        loads = [r[0] for r in records if r[2] == 8 and r[3] == 0]
        runs = [a for a, b in zip(loads, loads[1:]) if b - a == 8]
        expect(len(runs) == 49999, f"thread {number}: {len(runs) + 1} elements one after the other")
        seen.append(set(runs))
    expect(len(seen) == 2 and not seen[0] & seen[1], "each thread has elements of its own")
    ends = [8 * 49999 + a for a in map(min, seen)]
    expect(len(seen) == 2 and sorted(map(min, seen))[1] == min(ends) + 8, "the second half begins where the first ends")


with tempfile.TemporaryDirectory() as scratch:
    profile = scratch + "/profile.json"
    run("analyze", str(source), "--cflags", "-O1 -fopenmp", "-o", profile, "--", "2", OMP_NUM_THREADS="2")
    check_threads(json.loads(run("bounds", profile, "--machine", machine, "--no-measure", "--hot", "0", "--threads", "4", "--format", "json")))
    run("analyze", str(source), "--cflags", "-O1 -fopenmp", "-o", profile, "--", "1", OMP_NUM_THREADS="2")
    line = next(k for k, text in enumerate(source.read_text().splitlines(), 1) if "s += x[i];" in text)
    run("bounds", profile, "--machine", machine, "--loop", "even", "--trace", scratch + "/trace", OMP_NUM_THREADS="2")
    check_trace(pathlib.Path(scratch), line)
print("\n".join(problems) or "all as it should be")
sys.exit(1 if problems else 0)
