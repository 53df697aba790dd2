#!/usr/bin/env python3
"""Predicts and times the six applications of validation/parallel on 2 ranks and on 2 threads; prints errors. Predicted and measured are
both of cores of their own (--measure, --alone). The machine file should hold messages and threads (characterize --messages).
usage: parallel_accuracy.py PERFCAST [--machine M] [--only NAME] [--ranks-only|--threads-only] [--keep FOLDER]
--keep: profiles stay in this folder and are used again, so that a quiet minute is spent on timing alone"""
import contextlib, json, os, pathlib, subprocess, sys, tempfile

perfcast = os.path.abspath(sys.argv[1])
machine = sys.argv[sys.argv.index("--machine") + 1:][:1] if "--machine" in sys.argv else []
keep = os.path.abspath(sys.argv[sys.argv.index("--keep") + 1]) if "--keep" in sys.argv else None
only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else None
folder = pathlib.Path(__file__).parent.parent / "validation/parallel"
kinds = [("ranks", "-O2 -DUSE_MPI", "--ranks"), ("threads", "-O2 -fopenmp", "--threads")]
kinds = [k for k in kinds if f"--{'threads' if k[0] == 'ranks' else 'ranks'}-only" not in sys.argv]
errors = {"ranks": [], "threads": []}
print(f"{'program':10} {'on 2':8} {'predicted':>10} {'measured':>10} {'error':>8}  in interval")
for program in json.loads((folder / "programs.json").read_text())["programs"]:
    name = program["name"]
    if only and name != only:
        continue
    for kind, flags, option in kinds:
        with contextlib.nullcontext(keep) if keep else tempfile.TemporaryDirectory() as place:
            os.makedirs(place, exist_ok=True)
            profile = f"{place}/{name}.{kind}.json"
            done = subprocess.run(["true"] if os.path.exists(profile) else [perfcast, "analyze", f"{name}.c", "--cflags", flags, option, "2", "--levels", "ir,machine,memory", "-o", profile, "--", *program["args"]],
                                  cwd=folder, capture_output=True, text=True)
            if done.returncode:
                print(f"{name:10} {kind:8} {done.stderr.strip()[:200]}")
                continue
            command = [perfcast, "predict", profile, option, "2", "--measure", "--format", "json"] + (["--machine", machine[0]] if machine else [])
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                print(f"{name:10} {kind:8} {done.stderr.strip()[:200]}")
                continue
            other = None
            if kind == "ranks":
                played = subprocess.run([w for w in command if w != "--measure"] + ["--alone", "--network", "simgrid"], capture_output=True, text=True)
                other = json.loads(played.stdout)["predictions"][0]["seconds"] if played.returncode == 0 else None
        answer = json.loads(done.stdout)
        p, m = answer["predictions"][0], answer["measured"]
        error = p["seconds"] / m["seconds"] - 1
        errors[kind].append(abs(error))
        parts = ", ".join(f"{q['name']} {1e3 * q['seconds']:.1f}" for q in p["parts"])
        held = p["interval"][0] <= m["seconds"] <= p["interval"][1]
        print(f"{name:10} {kind:8} {1e3 * p['seconds']:8.1f}ms {1e3 * m['seconds']:8.1f}ms {100 * error:+7.1f}%  {'yes' if held else 'no':3} ({parts} ms)"
              + (f"  SimGrid {1e3 * other:.1f}ms" if other else ""), flush=True)
for kind, list_ in errors.items():
    if list_:
        print(f"mean error on 2 {kind}: {100 * sum(list_) / len(list_):.1f} %")
