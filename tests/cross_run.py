#!/usr/bin/env python3
"""A perfcast built for another instruction set, run under qemu-user for function: cross_run.py ARCH PROGRAM [NATIVE]

Golden cases give their answers there; the sections of a characterization that need no compiler run. With NATIVE, the
perfcast of this machine, both are asked the same of the same records, and every answer but its `made_by` must agree to
the last digit: one profile and one machine give one prediction, wherever it is made. Exit 77 (skipped) when the program
was not built (scripts/cross-check builds it) or qemu-user is not here.
"""
import json, os, pathlib, shutil, subprocess, sys, tempfile

arch, program = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
native = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 and os.path.exists(sys.argv[3]) else None
root = pathlib.Path(__file__).resolve().parent.parent
golden = root / "tests" / "golden"
qemu = shutil.which("qemu-" + arch)
if not qemu or not program.exists():
    print("skipped: " + ("qemu-%s is not here" % arch if not qemu else "%s was not built; scripts/cross-check builds it" % program))
    sys.exit(77)


def questions(folder):
    """What both are asked; profiles of either instruction set are made here, where the native program has front ends."""
    for profile in ("saavedra-linpack", "saavedra-whetstone", "saavedra-shell"):
        yield "predict", profile, "--model", "all", *"--machine cray-x-mp-48 --machine vax-11-780 --machine sun-3-50".split()
        yield "tree", profile, "--machine", "vax-8600"
    yield "predict", golden / "bounds/toy-daxpy/toy-daxpy.profile.json", "--machine", "toy", "--model", "all"
    for case, machine in (("ksr1-daxpy", "ksr1"), ("ksr1-sum", "ksr1"), ("toy-daxpy", "toy")):
        yield "bounds", golden / "bounds" / case / f"{case}.profile.json", "--machine", machine, "--no-measure"
    yield "machines", "compare", "neoverse-v1", "emerald-rapids"
    for isa, cpu, machine in (("x86_64", "sapphirerapids", "emerald-rapids"), ("aarch64", "neoverse-v1", "neoverse-v1")):
        made = subprocess.run([native, "analyze", root / "examples/heat.c", "--cflags", "-O2 -lm", "--param", "N=ARG1", "--target", isa + "-linux-gnu",
                               "--mcpu", cpu, "-o", folder + f"/{isa}.json", "--", "40", "5"], env=environment, capture_output=True, text=True, timeout=900)
        if made.returncode != 0:
            print(f"heat.c for {isa} is left out: " + (made.stderr.strip().splitlines() or ["no reason told"])[-1])
            continue
        yield "predict", folder + f"/{isa}.json", "--model", "all", "--machine", machine
        yield "bounds", folder + f"/{isa}.json", "--machine", machine, "--no-measure"
        yield "tree", folder + f"/{isa}.json", "--machine", machine
        yield "scale", folder + f"/{isa}.json", "--machine", machine, "--at", "N=100", "--at", "N=1000"


def answer(words, which):
    done = subprocess.run([which, *words, "--format", "json"], cwd=folder, env=environment, capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr}"
    value = json.loads(done.stdout, parse_float=str, parse_int=str)  # digits as they stand
    value.pop("made_by", None), value.pop("measured_how", None)  # why nothing was timed: without LLVM, or not asked
    return value


def differences(a, b, place=""):
    if type(a) is type(b) is dict and list(a) == list(b):
        return [d for k in a for d in differences(a[k], b[k], f"{place}/{k}")]
    if type(a) is type(b) is list and len(a) == len(b):
        return [d for k in range(len(a)) for d in differences(a[k], b[k], f"{place}/{k}")]
    return [] if a == b else [f"{place}: {str(a)[:80]} here, {str(b)[:80]} there"]


with tempfile.TemporaryDirectory(prefix="perfcast-cross-") as folder:
    wrapper = pathlib.Path(folder) / "perfcast"
    wrapper.write_text(f'#!/bin/sh\nexec "{qemu}" "{program}" "$@"\n')
    wrapper.chmod(0o755)
    environment = dict(os.environ, PERFCAST_HOME=folder + "/home", PERFCAST_DATA=str(root / "data"))

    def run(*words):
        done = subprocess.run([wrapper, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stderr}"
        return done.stdout

    assert "vax-11-780" in run("machines", "list")
    run("characterize", "--quick", "--section", "system", "--name", "there", "-o", "there.json")
    machine = json.loads(pathlib.Path(folder, "there.json").read_text())
    assert machine["isa"] == arch and machine["system"]["page_fault_ns"]["value"] > 0, machine
    run("machines", "compare", "there.json", "emerald-rapids")
    failed, asked = [], 0
    for words in questions(folder) if native else ():
        asked += 1
        failed += [" ".join(map(str, words)) + d for d in differences(answer(words, native), answer(words, wrapper))]
    assert not failed, f"{len(failed)} numbers differ between instruction sets:\n" + "\n".join(failed[:40])
    print(f"{asked} answers agree to the last digit" if native else "answers were not compared: no program of this machine")
    done = subprocess.run([sys.executable, root / "tests" / "run_golden.py", wrapper], env=environment)
    assert done.returncode == 0, "golden cases fail on " + arch
print("perfcast for " + arch + " works under qemu-user")
