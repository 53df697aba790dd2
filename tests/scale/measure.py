#!/usr/bin/env python3
"""perfcast scale on real programs: runs timed here calibrate the equation and feed the regression. How long they take is not
checked; that what is planted in the times comes back is.

  tests/scale/measure.py build/perfcast"""
import json, pathlib, subprocess, sys, tempfile

root = pathlib.Path(__file__).resolve().parent.parent.parent
perfcast = str(pathlib.Path(sys.argv[1]).resolve())
programs = {"gauss": ("validation/parallel/gauss.c", "64"), "matmul": ("validation/parallel/matmul.c", "64"), "msort": ("validation/scale/msort.c", "3000")}
problems = []


def run(*words):
    done = subprocess.run([perfcast, *map(str, words)], capture_output=True, text=True, cwd=root)
    if done.returncode != 0:
        sys.exit(f"perfcast {' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def scale(*words):
    return json.loads(run("scale", *words, "--format", "json"))


def expect(true, what):
    if not true:
        problems.append(what)


def near(value, wanted, tolerance, what):
    expect(abs(value / wanted - 1) <= tolerance, f"{what}: {value:.4g}, not {wanted:.4g}")


def planted(kept, program, seconds_of):
    """The runs of the programs with other times."""
    runs = json.loads(kept.read_text())
    runs["runs"] = [{**r, "seconds": seconds_of(r)} for r in runs["runs"] if program in (None, r["program"])]
    path = kept.with_name("planted.json")
    path.write_text(json.dumps(runs))
    return path


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    profiles, kept = {}, folder / "runs.json"
    for name, (source, size) in programs.items():
        profiles[name] = folder / (name + ".json")
        run("analyze", source, "--cflags", "-O2", "--param", "N=ARG1", "--levels", "ir,machine", "-o", profiles[name], "--", size)
        measured = scale(profiles[name], "--machine", "toy", "--measure", "--save-runs", kept, "--at", f"N={8 * int(size)}")
        again = scale(profiles[name], "--machine", "toy", "--runs", kept, "--at", f"N={8 * int(size)}")
        expect(measured["calibration"]["runs"] >= 4, f"{name}: {measured['calibration']['runs']} runs")
        near(again["at"][0]["seconds"], measured["at"][0]["seconds"], 1e-9, f"{name}: kept runs say what they said when they were timed")
        low, high = measured["at"][0]["interval"]
        expect(0 < low < measured["at"][0]["seconds"] < high, f"{name}: the interval holds the answer")
    checked = scale(profiles["gauss"], "--machine", "toy", "--check", "--at", "N=96")
    expect(checked["at"][0].get("measured", 0) > 0, "--check times the size asked for")

    # A machine that is twice as slow in everything is found out from six short runs, and eight times the size follows.
    for name, profile in profiles.items():
        sizes = [r["set"]["N"] for r in json.loads(kept.read_text())["runs"] if r["program"] == json.loads(profile.read_text())["program"]]
        expect(len(sizes) >= 4, f"{name}: {len(sizes)} kept runs")
        large = 8 * int(programs[name][1])
        plain = scale(profile, "--machine", "toy", *[w for n in [*sizes, large] for w in ("--at", f"N={n:.0f}")])["at"]
        by_size = {p["set"]["N"]: p["seconds"] for p in plain}
        runs = planted(kept, json.loads(profile.read_text())["program"], lambda r: 2 * by_size[r["set"]["N"]])
        near(scale(profile, "--machine", "toy", "--runs", runs, "--at", f"N={large}")["at"][0]["seconds"], 2 * by_size[large], 0.1, f"{name}: twice as slow")

    # Costs that made the times come back in the prediction of a program that was not in the fit.
    cost = {"integer": 4e-10, "floating": 1e-9, "vector": 8e-10, "memory": 5e-10, "branch": 6e-10, "mispredictions": 8e-9, "page_faults": 3e-7}
    runs = planted(kept, None, lambda r: sum(cost.get(k, 0) * v for k, v in r["counts"].items()))
    fitted = scale("--regression", runs)
    expect(all(c["seconds"] >= 0 for c in fitted["costs"]), "no cost is negative")
    expect(fitted["r_squared"] > 0.999, f"planted costs explain all: R^2 {fitted['r_squared']}")
    by_others = scale(profiles["msort"], "--regression", runs, "--at", "N=3000", "--runs", runs)
    own = next(r for r in json.loads(runs.read_text())["runs"] if r["program"].startswith("msort") and r["set"]["N"] == 3000)
    near(by_others["at"][0]["seconds"], own["seconds"], 0.25, "a program that was not in the fit, with its own runs for the level")
print("\n".join(problems) or "all as it should be")
sys.exit(1 if problems else 0)
