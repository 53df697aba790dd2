#!/usr/bin/env python3
"""Memory-bound kernels swept from the first cache to memory: how wrong is icc, per class and level?

  bench/memory/sweep.py BUILD_FOLDER --machine M [--cache FOLDER] [--measure ROUNDS] [--only WORD,...] [--detail]
                        [--suite data/calibration]   # another suite, the points of it that name a size

Profiles and measured times are kept in the cache folder (default: BUILD_FOLDER/memory-sweep), so that a change of the
model is judged without running anything again. Times are processor time, interleaved over rounds; a run counts when
the chain of additions timed beside it shows the clock of the machine file, or nearly. Aims: mean at most 13 %, median
at most 9 %. The kernels of this folder are a hold-out; parameters are fitted on data/calibration alone.
"""
import argparse
import concurrent.futures
import json
import os
import re
import resource
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
SIZES = [24_000, 200_000, 1_000_000, 6_000_000, 18_000_000, 120_000_000]
WANTED_SECONDS = 0.15
CHAIN = """#include <stdio.h>
#include <time.h>
int main(void) {  // nanoseconds per dependent addition, each time a line is read
  while (getchar() != EOF) {
    double best = 1e9;
    for (int k = 0; k < 7; k++) {
      struct timespec a, b;
      unsigned long x = 1, y = 3;
      __asm__ volatile("" : "+r"(y));  // additions of constants are folded on some cores
      clock_gettime(CLOCK_MONOTONIC, &a);
      for (int i = 0; i < 4000; i++) { x += y; __asm__ volatile("" : "+r"(x)); x += y; __asm__ volatile("" : "+r"(x)); x += y; __asm__ volatile("" : "+r"(x)); x += y; __asm__ volatile("" : "+r"(x)); }
      clock_gettime(CLOCK_MONOTONIC, &b);
      double ns = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / 16000;
      best = ns < best ? ns : best;
    }
    printf("%.6f\\n", best), fflush(stdout);
  }
}
"""


class Point:
    def __init__(self, name, kind, source, cflags, args, size):
        self.name, self.kind, self.source, self.cflags, self.args, self.size = name, kind, source, cflags, args, size


def sweep_points():
    text = open(HERE + "/kernels.c").read()
    kernels = re.findall(r"^static double (\w+)\(long bytes, long work\) \{  // class: (\w+)", text, re.M)
    return [Point(f"{name}-{size // 1000}k", kind, HERE + "/kernels.c", f"-O2 -DKERNEL={name} -lm", [str(size), None], size)
            for name, kind in kernels for size in SIZES]


def suite_points(folder):
    points = []
    for p in json.load(open(folder + "/suite.json"))["programs"]:
        size = re.search(r"-DBYTES=(\d+)", p["cflags"])
        if size:
            points.append(Point(p["name"], p["name"].split("-")[0] + " " + p["name"].rsplit("-", 1)[1], f"{folder}/{p['sources'][0]}", p["cflags"], p["args"], int(size[1])))
    return points


class Cache:
    def __init__(self, folder, build):
        self.folder, self.perfcast = folder, build + "/perfcast"
        os.makedirs(folder, exist_ok=True)
        self.times_file = folder + "/times.json"
        self.times = json.load(open(self.times_file)) if os.path.exists(self.times_file) else {}

    def save(self):
        with open(self.times_file + ".new", "w") as out:
            json.dump(self.times, out, indent=0)
        os.replace(self.times_file + ".new", self.times_file)

    def executable(self, point):
        path = f"{self.folder}/{re.sub('[^a-zA-Z0-9_]', '', point.cflags)}.exe"
        if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(point.source):
            words = point.cflags.split()
            subprocess.run(["clang-19", *[w for w in words if not w.startswith("-l")], point.source, "-o", path, *[w for w in words if w.startswith("-l")]], check=True)
        return path

    def seconds(self, point, args):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([self.executable(point), *args], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def choose_work(self, point):
        """As many elements as take a good part of a second beyond the set-up."""
        if point.args[-1] is not None:
            return
        entry = self.times.setdefault(point.name, {})
        if "work" not in entry:
            setup = self.seconds(point, [point.args[0], "1"])
            work, spent = 200_000, 0
            while spent < 0.03 and work < 1e10:
                work *= 4
                spent = self.seconds(point, [point.args[0], str(work)]) - setup
            entry["work"] = int(float(f"{work * max(WANTED_SECONDS, 1.5 * setup) / spent:.2g}"))
            self.save()
        point.args = [point.args[0], str(entry["work"])]

    def profile(self, point):
        path = f"{self.folder}/{point.name}.profile.json"
        if not os.path.exists(path):
            done = subprocess.run([self.perfcast, "analyze", point.source, "--levels", "ir,machine,memory", "--cflags", point.cflags, "-o", path, "--", *point.args], capture_output=True, text=True, cwd=self.folder)
            if done.returncode:
                print(point.name, done.stderr.strip(), file=sys.stderr)
                return None
        return path

    def predict(self, point, machine):
        path = self.profile(point)
        done = subprocess.run([self.perfcast, "predict", path, "--machine", machine, "--model", "icc", "--format", "json"], capture_output=True, text=True)
        if done.returncode:
            print(point.name, done.stderr.strip(), file=sys.stderr)
            return None
        return json.loads(done.stdout)["predictions"][0]

    def measure(self, points, rounds):
        chain_path = self.folder + "/chain"
        subprocess.run(["clang-19", "-O2", "-x", "c", "-", "-o", chain_path], input=CHAIN, text=True, check=True)
        chain = subprocess.Popen([chain_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

        def chain_ns():
            chain.stdin.write("\n"), chain.stdin.flush()
            return float(chain.stdout.readline())
        for _ in range(rounds):
            for point in points:
                before = chain_ns()
                seconds = self.seconds(point, point.args)
                self.times.setdefault(point.name, {}).setdefault("runs", []).append([seconds, max(before, chain_ns())])
            self.save()
        chain.stdin.close()

    def measured(self, point, clock_ghz):
        """Median of the runs near the machine's clock; without any, the one whose clock is nearest."""
        runs = self.times.get(point.name, {}).get("runs", [])
        if not runs:
            return None
        near = sorted(s for s, ns in runs if abs(ns * clock_ghz - 1) < 0.05)
        if not near:
            return min(runs, key=lambda run: abs(run[1] * clock_ghz - 1))[0]
        return near[(len(near) - 1) // 2]


def level_of(size, machine):
    for level in machine["memory"]["levels"]:
        if "capacity_bytes" not in level or size <= level["capacity_bytes"]["value"]:
            return level["name"]


def table(title, rows, names):
    print(f"\n{title:<22}{'points':>7}{'mean':>8}{'median':>8}{'bias':>8}{'<10 %':>7}{'<20 %':>7}")
    for name in names:
        errors = [e for key, e in rows if name in ("all", key)]
        if errors:
            sizes = [abs(e) for e in errors]
            print(f"{name:<22}{len(errors):>7}{statistics.mean(sizes):>8.1f}{statistics.median(sizes):>8.1f}{statistics.mean(errors):>+8.1f}"
                  f"{100 * sum(s <= 10 for s in sizes) / len(sizes):>7.0f}{100 * sum(s <= 20 for s in sizes) / len(sizes):>7.0f}")


def report(cache, points, machine_file, jobs, detail):
    machine = json.loads(subprocess.run([cache.perfcast, "machines", "show", machine_file, "--format", "json"], capture_output=True, text=True, check=True).stdout)
    clock = machine["core"]["clock_ghz"]["value"]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        predictions = list(pool.map(lambda point: cache.predict(point, machine_file), points))
    results = []
    for point, prediction in zip(points, predictions):
        measured = cache.measured(point, clock)
        if not prediction or not measured:
            continue
        error = 100 * (prediction["seconds"] / measured - 1)
        low, high = prediction["interval"]
        results.append((point, level_of(point.size, machine), error, low <= measured <= high))
        if detail:
            parts = ", ".join(f"{p['name']} {1000 * p['seconds']:.0f}" for p in sorted(prediction["parts"], key=lambda p: -p["seconds"])[:6])
            print(f"{point.name:<30}{results[-1][1]:>5}{1000 * measured:>8.0f} ms{1000 * prediction['seconds']:>8.0f}{error:>+8.1f} %   {parts}")
    kernels = sorted({p.name.rsplit("k", 1)[0].rsplit("-", 1)[0] for p, *_ in results})
    if not detail:
        print("error in % by bytes of data")
        for kernel in kernels:
            row = [(p.size, e) for p, _, e, _ in results if p.name.startswith(kernel + "-")]
            print(f"{kernel:<22}" + "".join(f"{e:>+9.1f}" for _, e in sorted(row)))
    table("class", [(p.kind, e) for p, _, e, _ in results], sorted({p.kind for p, *_ in results}))
    levels = [level["name"] for level in machine["memory"]["levels"]]
    table("level", [(level, e) for _, level, e, _ in results], levels + ["all"])
    if results:
        print(f"\nintervals hold in {100 * sum(r[3] for r in results) / len(results):.0f} % of {len(results)} points")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--machine", required=True)
    parser.add_argument("--suite")
    parser.add_argument("--cache")
    parser.add_argument("--measure", type=int, default=0, metavar="ROUNDS")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--detail", action="store_true")
    parser.add_argument("--no-report", action="store_true", help="measure or analyze only")
    options = parser.parse_args()
    cache = Cache(os.path.abspath(options.cache or options.build + "/memory-sweep"), os.path.abspath(options.build))
    points = suite_points(os.path.abspath(options.suite)) if options.suite else sweep_points()
    if options.only:
        points = [p for p in points if any(word in p.name for word in options.only.split(","))]
    for point in points:
        cache.choose_work(point)
    if options.measure:
        for point in points:
            cache.executable(point)
        cache.measure(points, options.measure)
    elif options.no_report:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(cache.profile, points))
    if not options.no_report:
        report(cache, points, options.machine, options.jobs, options.detail)


if __name__ == "__main__":
    main()
