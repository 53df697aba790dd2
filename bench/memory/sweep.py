#!/usr/bin/env python3
"""Memory-bound kernels swept from the first cache to memory: how wrong is icc, per class and level?

  bench/memory/sweep.py BUILD_FOLDER --machine M [--folder FOLDER] [--only WORD,...] [--detail] [--report]
                        [--suite data/calibration]   # another suite, the points of it that name a size

Writes the points as a suite into the folder (default: BUILD_FOLDER/memory-sweep) and lets `perfcast validate` analyze,
time (as on a core of its own) and predict them; --report shows the last result again. Aims: mean at most 13 %, median
at most 9 %. The kernels of this folder are a hold-out; parameters are fitted on data/calibration alone.
"""
import argparse
import json
import os
import re
import resource
import statistics
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = [24_000, 200_000, 1_000_000, 6_000_000, 18_000_000, 120_000_000]
WANTED_SECONDS = 0.15


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


class Sweep:
    def __init__(self, folder, build):
        self.folder, self.perfcast = folder, build + "/perfcast"
        os.makedirs(folder, exist_ok=True)
        self.result = folder + "/result.json"

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

    def choose_work(self, points):
        """As many elements as take a good part of a second beyond the set-up; chosen once, so that results compare."""
        path = self.folder + "/work.json"
        chosen = json.load(open(path)) if os.path.exists(path) else {}
        for point in points:
            if point.args[-1] is not None:
                continue
            if point.name not in chosen:
                setup = self.seconds(point, [point.args[0], "1"])
                work, spent = 200_000, 0
                while spent < 0.03 and work < 1e10:
                    work *= 4
                    spent = self.seconds(point, [point.args[0], str(work)]) - setup
                chosen[point.name] = int(float(f"{work * max(WANTED_SECONDS, 1.5 * setup) / spent:.2g}"))
            point.args = [point.args[0], str(chosen[point.name])]
        with open(path, "w") as out:
            json.dump(chosen, out, indent=0)

    def validate(self, points, machine):
        suite = self.folder + "/suite.json"
        with open(suite, "w") as out:
            json.dump({"programs": [{"name": p.name, "sources": [p.source], "cflags": p.cflags, "args": p.args} for p in points]}, out, indent=1)
        subprocess.run([self.perfcast, "validate", "--suite", suite, "--machine", machine, "--model", "icc", "-o", self.result], check=True)


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


def report(sweep, points, machine_file, detail):
    machine = json.loads(subprocess.run([sweep.perfcast, "machines", "show", machine_file, "--format", "json"], capture_output=True, text=True, check=True).stdout)
    programs = {p["name"]: p for p in json.load(open(sweep.result))["programs"]}
    results = []
    for point in points:
        icc = programs.get(point.name, {}).get("models", {}).get("icc")
        if not icc:
            print(f"{point.name}: no result")
            continue
        results.append((point, level_of(point.size, machine), 100 * icc["error"], icc["covered"]))
        if detail:
            print(f"{point.name:<30}{results[-1][1]:>5}{1000 * programs[point.name]['measured']:>8.0f} ms{1000 * icc['seconds']:>8.0f}{100 * icc['error']:>+8.1f} %")
    kernels = sorted({p.name.rsplit("k", 1)[0].rsplit("-", 1)[0] for p, *_ in results})
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
    parser.add_argument("--folder")
    parser.add_argument("--only", default="")
    parser.add_argument("--detail", action="store_true")
    parser.add_argument("--report", action="store_true", help="show the last result again")
    options = parser.parse_args()
    sweep = Sweep(os.path.abspath(options.folder or options.build + "/memory-sweep"), os.path.abspath(options.build))
    points = suite_points(os.path.abspath(options.suite)) if options.suite else sweep_points()
    if options.only:
        points = [p for p in points if any(word in p.name for word in options.only.split(","))]
    if not options.report:
        sweep.choose_work(points)
        sweep.validate(points, options.machine)
    report(sweep, points, options.machine, options.detail)


if __name__ == "__main__":
    main()
