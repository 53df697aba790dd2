#!/usr/bin/env python3
"""Are counts that are called exact exact? For each program of validation/scale: the forms found at small sizes are compared,
block by block, with the counts of a run at sizes nobody used, and the share of executed instructions by how sure they are is
printed. A false exact form is a block whose form is called proved or interpolated and gives another number.

Usage: bench/scale_counts.py [--keep FOLDER] [PROGRAM...]      (from the project's root, after ./scripts/build; FOLDER as for
       bench/scale_extrapolation.py)
"""
import argparse, json, math, os, subprocess, tempfile
from fractions import Fraction

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
perfcast = os.environ.get("PERFCAST", os.path.join(root, "build", "perfcast"))
folder = os.path.join(root, "validation", "scale")


def log2(x):
    value = math.log2(x)
    return Fraction(round(value)) if 2 ** round(value) == x else value


functions = {"floor": math.floor, "ceil": math.ceil, "log2": log2, "mod": lambda a, b: a % b, "min": min, "max": max, "abs": abs, "step": lambda x: int(x >= 0),
             "pick": lambda k, *choices: choices[int(k)]}


def value(expression, at):
    return eval(expression.replace("^", "**"), {"__builtins__": {}}, {**functions, **{k: Fraction(v) for k, v in at.items()}})


def analyze(program, size, output, *more):
    args = [str(size), *program["args"][1:]]
    done = subprocess.run([perfcast, "analyze", *program["sources"], "--cflags", program["cflags"], "--levels", "ir,machine", *more, "-o", output, "--", *args],
                          capture_output=True, text=True, cwd=folder)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())


def blocks(profile):
    for level in ("ir", "machine"):
        for function in profile[level]["functions"]:
            if not function.get("library_name"):
                for block in function["blocks"]:
                    yield (level, function["name"], block["name"]), block["count"]


def held_out(program):
    """Larger than everything that was run, and of an odd residue where the program takes that."""
    n = program["small"]
    return [2 * n, 4 * n] if n & (n - 1) == 0 and program["name"] == "fft" else [n + n // 3 + 1, 2 * n + 5, 3 * n - 2]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep"), parser.add_argument("program", nargs="*")
    args = parser.parse_args()
    print(f"{'program':9}{'exact':>8}{'given H':>9}{'ratio':>8}{'unknown':>9}{'library':>9}   blocks checked, false, at")
    for program in json.load(open(os.path.join(folder, "suite.json")))["programs"]:
        if args.program and program["name"] not in args.program:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            kept = os.path.join(os.path.abspath(args.keep), program["name"] + ".profile.json") if args.keep else ""
            if not os.path.exists(kept):
                kept = os.path.join(scratch, "small.json")
                analyze(program, program["small"], kept, "--param", "N=ARG1")
            small = json.load(open(kept))
            scaling = small["scaling"]
            checked, wrong = 0, []
            for size in held_out(program):
                large_file = os.path.join(scratch, "large.json")
                try:
                    analyze(program, size, large_file)
                except RuntimeError as error:
                    print(program["name"], size, error)
                    continue
                large = dict(blocks(json.load(open(large_file))))
                for key, count in blocks(small):
                    if not isinstance(count, dict) or count.get("certainty") not in ("proved", "interpolated") or key not in large:
                        continue
                    seen = large[key]["value"] if isinstance(large[key], dict) else large[key]
                    checked += 1
                    if value(count["is"], {"N": size}) != seen:
                        wrong.append(f"{'/'.join(key)} at {size}: {count['is']} is not {seen}")
            share = scaling["shares"]
            given = share.get("exact given hidden", 0)
            print(f"{program['name']:9}{100 * (share.get('proved', 0) + share.get('interpolated', 0)):7.1f}%{100 * given:8.1f}%{100 * (share.get('ratio', 0) - given):7.1f}%"
                  f"{100 * share.get('unknown', 0):8.1f}%{100 * share.get('library', 0):8.1f}%   {checked}, {len(wrong)}, {held_out(program)}", flush=True)
            for line in wrong[:5]:
                print("    " + line)


main()
