#!/usr/bin/env python3
"""Loops in the first cache, on the two measured machines or on this one: the engine against measured cycles.

  bench/loops/loops.py BUILD_FOLDER [MACHINE [BUILD]]    # needs bench_trace_time, clang-19, lld-19, qemu-user

MACHINE is neoverse-v1 or emerald-rapids, whose times are in data/measured, or the machine file of the machine this runs
on; then the loops are timed here, now (time_here.c), those of kernels_holdout.c as well. Placement of code is not part of the model: each is timed at four.

Every build is compiled freestanding, run under qemu-user with a tracing plugin, and its kernels are timed by the
engine; beside it stand llvm-mca-19 (where one loop holds 85 % of the instructions) and the trivial bound. The loops of
kernels.c are a development set: rules of the machine files were looked at with their help. Those of kernels_holdout.c
were only looked at to find mechanisms, which were then measured apart.

LOOPS_FOLDER=F keeps traces and times there and uses them again; TIME_AGAIN=1 times again; SHOW=1 prints every loop;
CANARY=C is the undisturbed reading of the canary, as an earlier run printed it; NO_MCA=1 leaves llvm-mca out.
"""
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
X86, ARM = "x86_64-linux-gnu", "aarch64-linux-gnu"
SETS = {"development": ("kernels.c", "DEVELOPMENT"), "hold-out": ("kernels_holdout.c", "HOLDOUT")}
BUILDS = {
    "emerald-rapids": (X86, "sapphirerapids", {
        "DclO2": ("clang-19", "-O2"), "DgcO2": ("gcc", "-O2"), "DclV3": ("clang-19", "-O3 -march=x86-64-v3"),
        "DgcV3": ("gcc", "-O3 -march=x86-64-v3"), "OclO3": ("clang-19", "-O3 -march=sapphirerapids"), "OgcO3": ("gcc", "-O3 -march=sapphirerapids")}),
    "neoverse-v1": (ARM, "neoverse-v1", {
        "clang-19 -O2": ("clang-19", "-O2"), "clang-19 -O3 -mcpu=neoverse-v1+nosve": ("clang-19", "-O3 -mcpu=neoverse-v1+nosve"),
        "gcc-12 -O2": ("gcc", "-O2"), "gcc-12 -O3 -mcpu=neoverse-v1+nosve": ("gcc", "-O3 -mcpu=neoverse-v1+nosve"),
        "clang-19 -O3 -mcpu=neoverse-v1+nosve -ffast-math": ("clang-19", "-O3 -mcpu=neoverse-v1+nosve -ffast-math")}),
}
HERE_BUILDS = {f"{name} {level}": (name, level) for name in ("clang-19", "gcc") for level in ("-O2", "-O3")}
MODELS = {"walk": "icc (walk over counts)", "deduced": "  trace, addresses deduced", "trace": "  trace, addresses recorded", "mca": "llvm-mca-19", "trivial": "trivial bound"}


def run(command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


# ---- making and tracing a build

def compiler(name, triple):
    if name.startswith("clang"):
        return [name, "--target=" + triple]
    if triple.startswith(platform.machine()):
        return ["gcc"]
    cross = triple + "-gcc"
    return [cross] if subprocess.run(["sh", "-c", "command -v " + cross], capture_output=True).returncode == 0 else None


def trace(binary, folder, triple, avx512):
    if avx512 and platform.machine() == "x86_64":
        run([folder + "/step", binary, folder + "/trace.bin"])
    else:
        symbols = [l.split() for l in run(["llvm-nm-19", "-n", "--defined-only", binary]).splitlines()]
        kernels = [int(s[0], 16) for s in symbols if len(s) == 3 and s[1] in "tT" and s[2].startswith("k_")]
        end = max(kernels) + 8192
        run([f"qemu-{triple.split('-')[0]}", "-cpu", "max", "-plugin",
             f"{folder}/plugin.so,lo={min(kernels):x},hi={end:x},out={folder}/trace.bin", binary])


def traced(folder, command, words, triple, kind, fresh_data):
    """Compiles one build into `folder` and traces it; False when it cannot run here. With fresh data every kernel finds them as if it were the
    first: some write what others read, such as the keys of hist."""
    avx512 = "sapphirerapids" in words[1]
    if avx512 and (platform.machine() != "x86_64" or "avx512f" not in open("/proc/cpuinfo").read()):
        return False
    source, kernels = SETS[kind]
    flags = ["-I", HERE + "/include", "-fno-stack-protector", "-fno-pic", "-w"]
    driver = ["-DKERNELS=" + kernels] + (["-DPREPARE_EACH"] if fresh_data else [])
    run([*command, *words[1].split(), *flags, "-fno-pie", "-c", f"{HERE}/{source}", "-o", folder + "/kernels.o"])
    run(["clang-19", "--target=" + triple, "-O1", "-ffreestanding", "-fno-builtin-memcpy", *flags, *driver, "-c", HERE + "/driver.c", "-o", folder + "/driver.o"])
    run(["ld.lld-19", "-static", folder + "/driver.o", folder + "/kernels.o", "-o", folder + "/loops"])
    if avx512:
        run(["cc", "-O2", HERE + "/single_step.c", "-o", folder + "/step"])
    else:
        run(["cc", "-O2", "-shared", "-fPIC", HERE + "/trace_plugin.c", "-o", folder + "/plugin.so"])
    trace(folder + "/loops", folder, triple, avx512)
    return True


# ---- times: measured, by the engine, by llvm-mca

canary = {"best": os.environ.get("CANARY", "0")}  # what time_here found when nobody disturbed it; CANARY: in an earlier run


def time_here(folder, kind):
    """Cycles per call of every kernel of this build, timed now at four placements of the code: where a loop lies decides
    whether its front end keeps up and its exit is foreseen, which no prediction for a program knows. The second fastest."""
    kept = folder + "/times.json"
    if os.path.exists(kept) and not os.environ.get("TIME_AGAIN"):
        return json.load(open(kept))
    placements, best = {}, canary["best"]
    for bytes_before in (0, 16, 32, 48):
        binary, pad = f"{folder}/time{bytes_before}", f"{folder}/pad.s"
        if not os.path.exists(binary):
            open(pad, "w").write(f'.text\n.p2align 6\n.skip {bytes_before}\n.section .note.GNU-stack,"",%progbits\n')
            run(["clang-19", "-O1", "-I", HERE + "/include", "-w", "-no-pie", "-DKERNELS=" + SETS[kind][1], pad, folder + "/kernels.o", HERE + "/time_here.c", "-lm", "-o", binary])
        first, *lines = run([binary, best]).splitlines()
        canary["best"] = best = first.split()[1]
        for line in lines:
            placements.setdefault(line.split()[0], []).append(float(line.split()[1]))
    times = {kernel: {"cycles_per_call": sorted(found)[min(1, len(found) - 1)], "placements": found} for kernel, found in placements.items()}
    json.dump(times, open(kept, "w"))
    return times


def mca(loop_file, triple, cpu):
    """Cycles of all executions of the loop, by llvm-mca."""
    if not os.path.exists(loop_file):
        return None
    code = open(loop_file).read()
    executions = float(code.split("\n")[0].split()[2])
    if triple == ARM:  # its assembler takes no addresses for branches
        code = re.sub(r"\b0x[0-9a-f]{4,}$", ".", code, flags=re.M)
    try:
        text = run(["llvm-mca-19", "-mtriple=" + triple, "-mcpu=" + cpu, "-iterations=100", "-"], input=code, timeout=60)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    cycles = next(float(l.split()[2]) for l in text.splitlines() if l.startswith("Total Cycles"))
    return cycles / 100 * executions


def one_build(build_folder, machine, triple, cpu, kind, name, words, measured):
    """A row for every loop of one build, or None when it cannot be made here."""
    command = compiler(words[0], triple)
    if not command:
        return None
    kept = os.environ.get("LOOPS_FOLDER")
    with tempfile.TemporaryDirectory() as temporary:
        words_only = "".join(c if c.isalnum() else "-" for c in f"{os.path.basename(machine)} {name} {kind}")  # qemu splits at = and ,
        folder = f"{kept}/{words_only}" if kept else temporary
        if not os.path.exists(folder + "/trace.bin"):
            os.makedirs(folder, exist_ok=True)
            # Of the rounds on Emerald Rapids the fastest, those kept, had fresh data (hist: a sixth of the others' time); on the V1 none had.
            if not traced(folder, command, words, triple, kind, measured is None or machine == "emerald-rapids"):
                return None
        if measured is None:
            measured = time_here(folder, kind)
        file = machine if os.path.exists(machine) else f"{ROOT}/data/machines/{machine}.machine.json"
        rows = []
        for line in run([build_folder + "/bench_trace_time", folder + "/loops", folder + "/trace.bin", file, folder]).splitlines():
            kernel, instructions, recorded, deduced, walked, macs, trivial, covered, misses = line.split()
            if kernel not in measured:
                continue
            rival = mca(f"{folder}/{kernel}.s", triple, cpu) if float(covered) > 0.85 and not os.environ.get("NO_MCA") else None
            rounds = measured[kernel].get("rounds") or measured[kernel].get("placements") or [measured[kernel]["cycles_per_call"]]
            rows.append({"rounds": rounds, "middle": statistics.median(rounds), "kernel": kernel, "build": name, "kind": kind, "measured": measured[kernel]["cycles_per_call"], "placements": measured[kernel].get("placements"), "instructions": int(instructions), "misses": int(misses),
                         "trace": float(recorded), "deduced": float(deduced), "walk": float(walked), "macs": float(macs), "trivial": float(trivial), "mca": rival})
        return rows


# ---- what comes out

def errors(rows, model):
    return [abs(r[model] / r["measured"] - 1) * 100 for r in rows if r[model]]


def kendall(rows, model):
    pairs = [(r["measured"], r[model]) for r in rows if r[model]]
    agree = sum(1 if (a[0] - b[0]) * (a[1] - b[1]) > 0 else -1 for i, a in enumerate(pairs) for b in pairs[:i])
    return agree / (len(pairs) * (len(pairs) - 1) / 2)


def brief(rows, model):
    found = errors(rows, model)
    return f"{statistics.mean(found):5.1f} / {statistics.median(found):4.1f} ({len(found)})" if found else "-"


def print_rows(rows):
    for r in rows:
        rates = " ".join(f"{m} {100 * (r[m] / r['measured'] - 1):+6.1f}" for m in MODELS if r[m])
        print(f"      {r['kernel']:10} {r['build']:14} {r['measured']:10.1f} cycles {r['instructions']:8} instructions {r['misses']:4} misses  {rates}")


def by_error(rows):
    return sorted(rows, key=lambda r: -abs(r["walk"] / r["measured"] - 1))


def report(rows, title):
    judged = [r for r in rows if r["mca"]]
    print(f"  {title}: {len(rows)} loops\n    {'':28}   mean  median  within 10 %  within 20 %    tau  loops")
    for model, words in [*MODELS.items(), ("same", "icc where llvm-mca judges")]:
        chosen, model = (judged, "walk") if model == "same" else (rows, model)
        found = errors(chosen, model)
        if len(found) < 2:
            continue
        within = [100 * sum(e <= limit for e in found) / len(found) for limit in (10, 20)]
        print(f"    {words:28} {statistics.mean(found):6.1f}  {statistics.median(found):6.1f}  {within[0]:11.0f}  {within[1]:11.0f}  {kendall(chosen, model):5.3f}  {len(found):5}")
    if spreads := [max(r["placements"]) / min(r["placements"]) - 1 for r in rows if r["placements"]]:
        print(f"    slowest placement beyond the fastest: mean {100 * statistics.mean(spreads):.0f} %, above 10 % in {100 * sum(x > 0.1 for x in spreads) / len(spreads):.0f} % of the loops")
    print("    the worst ten:")
    print_rows(by_error(rows)[:10])
    above = sorted((r for r in rows if r["macs"] > 1.03 * r["middle"]), key=lambda r: -r["macs"] / r["middle"])
    print(f"    MACS, a bound, is more than 3 % above the measured time (the middle of its rounds) in {len(above)} of {len(rows)} loops ({100 * len(above) / len(rows):.1f} %)")
    for r in above:
        print(f"      {r['kernel']:10} {r['build']:14} {100 * (r['macs'] / r['middle'] - 1):+6.1f} %, rounds {' '.join(map(str, r['rounds']))}")


def main():
    build_folder, wanted, which = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "", sys.argv[3] if len(sys.argv) > 3 else ""
    places, here = BUILDS, os.path.exists(wanted)
    if here:
        places = {wanted: (platform.machine() + "-linux-gnu", json.load(open(wanted))["core"].get("llvm_cpu", "native"), HERE_BUILDS)}
    for machine, (triple, cpu, builds) in places.items():
        if wanted and wanted != machine:
            continue
        loops = {} if here else json.load(open(f"{ROOT}/data/measured/{machine}.loops.json"))["loops"]
        everything = []
        print(f"{machine}: error in %, mean / median (loops)")
        for kind in SETS if here else ["development"]:
            for name, words in builds.items():
                if which and which not in name:
                    continue
                rows = one_build(build_folder, machine, triple, cpu, kind, name, words, loops.get(name))
                if rows is None:
                    print(f"  {name}: compiler or instruction set not here, left out")
                    continue
                everything += rows
                print(f"  {kind:11} {name:50} " + "  ".join(f"{m} {brief(rows, m)}" for m in MODELS), flush=True)
                if which or os.environ.get("SHOW"):
                    print_rows(by_error(rows))
        for kind in SETS:
            if rows := [r for r in everything if r["kind"] == kind]:
                report(rows, kind)
        if here and everything:
            report(everything, "all")
            print(f"  canary {canary['best']} cycles")


main()
