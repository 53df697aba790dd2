#!/usr/bin/env python3
"""The loops of kernels.c on the two measured machines or on this one: the engine against measured cycles.

  bench/loops/loops.py BUILD_FOLDER [MACHINE [BUILD]]    # needs bench_trace_time, clang-19, lld-19, qemu-user

MACHINE is neoverse-v1 or emerald-rapids, whose times are in data/measured, or the machine file of the machine this runs
on; then the loops are timed here, now (time_here.c).

Every build is compiled freestanding, run under qemu-user with a tracing plugin, and its kernels are timed by the
engine; beside it stand llvm-mca-19 (where one loop holds 85 % of the instructions) and the trivial bound. The loops
are a development set: rules of the machine files were looked at with their help.
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


def compiler(name, triple):
    if name.startswith("clang"):
        return [name, "--target=" + triple]
    if triple.startswith(platform.machine()):
        return ["gcc"]
    cross = triple + "-gcc"
    return [cross] if subprocess.run(["sh", "-c", "command -v " + cross], capture_output=True).returncode == 0 else None


def run(command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def trace(binary, folder, triple, avx512):
    if avx512 and platform.machine() == "x86_64":
        run([folder + "/step", binary, folder + "/trace.bin"])
    else:
        symbols = [l.split() for l in run(["llvm-nm-19", "-n", "--defined-only", binary]).splitlines()]
        kernels = [int(s[0], 16) for s in symbols if len(s) == 3 and s[2].startswith("k_")]
        end = max(kernels) + 8192
        run([f"qemu-{triple.split('-')[0]}", "-cpu", "max", "-plugin",
             f"{folder}/plugin.so,lo={min(kernels):x},hi={end:x},out={folder}/trace.bin", binary])


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


def traced(folder, command, words, triple):
    """Compiles one build into `folder` and traces it; False when it cannot run here."""
    avx512 = "sapphirerapids" in words[1]
    if avx512 and (platform.machine() != "x86_64" or "avx512f" not in open("/proc/cpuinfo").read()):
        return False
    flags = ["-I", HERE + "/include", "-fno-stack-protector", "-fno-pic", "-w"]
    run([*command, *words[1].split(), *flags, "-fno-pie", "-c", HERE + "/kernels.c", "-o", folder + "/kernels.o"])
    run(["clang-19", "--target=" + triple, "-O1", "-ffreestanding", "-fno-builtin-memcpy", *flags, "-c", HERE + "/driver.c", "-o", folder + "/driver.o"])
    run(["ld.lld-19", "-static", folder + "/driver.o", folder + "/kernels.o", "-o", folder + "/loops"])
    if avx512:
        run(["cc", "-O2", HERE + "/single_step.c", "-o", folder + "/step"])
    else:
        run(["cc", "-O2", "-shared", "-fPIC", HERE + "/trace_plugin.c", "-o", folder + "/plugin.so"])
    trace(folder + "/loops", folder, triple, avx512)
    return True


def timed_here(folder):
    """Cycles per call of every kernel of this build, timed now: the median of three rounds."""
    flags = ["-I", HERE + "/include", "-w", "-no-pie"]
    run(["clang-19", "-O1", *flags, HERE + "/time_here.c", folder + "/kernels.o", "-lm", "-o", folder + "/time"])
    rounds = [dict(line.split()[:2] for line in run([folder + "/time"]).splitlines()) for _ in range(3)]
    return {kernel: {"cycles_per_call": statistics.median(float(r[kernel]) for r in rounds if kernel in r)} for kernel in rounds[0]}


def one_build(build_folder, machine, triple, cpu, name, words, measured):
    command = compiler(words[0], triple)
    if not command:
        return None
    kept = os.environ.get("LOOPS_FOLDER")  # traces are kept there and used again
    with tempfile.TemporaryDirectory() as temporary:
        words_only = "".join(c if c.isalnum() else "-" for c in f"{machine} {name}")  # qemu splits at = and ,
        folder = f"{kept}/{words_only}" if kept else temporary
        if not os.path.exists(folder + "/trace.bin"):
            os.makedirs(folder, exist_ok=True)
            if not traced(folder, command, words, triple):
                return None
        if measured is None:
            measured = timed_here(folder)
        file = machine if os.path.exists(machine) else f"{ROOT}/data/machines/{machine}.machine.json"
        lines = run([build_folder + "/bench_trace_time", folder + "/loops", folder + "/trace.bin", file, folder])
        rows = {}
        for line in lines.splitlines():
            kernel, _, recorded, deduced, walked, trivial, covered = line.split()
            if kernel not in measured:
                continue
            rows[kernel] = {"measured": measured[kernel]["cycles_per_call"], "trace": float(recorded), "deduced": float(deduced), "walk": float(walked), "trivial": float(trivial),
                            "mca": mca(f"{folder}/{kernel}.s", triple, cpu) if float(covered) > 0.85 and not os.environ.get("NO_MCA") else None}
        return rows


def summary(rows, key):
    errors = [abs(r[key] / r["measured"] - 1) * 100 for r in rows if r.get(key)]
    return f"{statistics.mean(errors):5.1f} / {statistics.median(errors):4.1f} ({len(errors)})" if errors else "-"


def kendall(rows, key):
    pairs = [(r["measured"], r[key]) for r in rows if r.get(key)]
    agree = sum(1 if (a[0] - b[0]) * (a[1] - b[1]) > 0 else -1 for i, a in enumerate(pairs) for b in pairs[:i])
    n = len(pairs)
    return agree / (n * (n - 1) / 2)


def main():
    build_folder, wanted, which = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "", sys.argv[3] if len(sys.argv) > 3 else ""
    places = BUILDS
    if os.path.exists(wanted):
        places = {wanted: (platform.machine() + "-linux-gnu", json.load(open(wanted))["core"].get("llvm_cpu", "native"), HERE_BUILDS)}
    for machine, (triple, cpu, builds) in places.items():
        if wanted and wanted != machine:
            continue
        loops = {} if machine == wanted and os.path.exists(wanted) else json.load(open(f"{ROOT}/data/measured/{machine}.loops.json"))["loops"]
        everything = []
        print(f"{machine}: error in %, mean / median (loops)")
        for name, words in builds.items():
            if which and which not in name:
                continue
            rows = one_build(build_folder, machine, triple, cpu, name, words, loops.get(name))
            if rows is None:
                print(f"  {name}: compiler or instruction set not here, left out")
                continue
            everything += rows.values()
            print(f"  {name:50} walk {summary(rows.values(), 'walk')}  deduced {summary(rows.values(), 'deduced')}  trace {summary(rows.values(), 'trace')}  "
                  f"mca {summary(rows.values(), 'mca')}  trivial {summary(rows.values(), 'trivial')}")
            if which or os.environ.get("SHOW"):
                for kernel, r in sorted(rows.items(), key=lambda x: -abs(x[1]["walk"] / x[1]["measured"] - 1)):
                    rates = " ".join(f"{k} {100 * (r[k] / r['measured'] - 1):+6.1f}" for k in ("walk", "deduced", "trace", "mca", "trivial") if r.get(k))
                    print(f"      {kernel:10} {r['measured']:10.1f} cycles  {rates}")
        if everything:
            print(f"  all: walk {summary(everything, 'walk')}, tau {kendall(everything, 'walk'):.3f}; trace {summary(everything, 'trace')}; mca {summary(everything, 'mca')}; trivial {summary(everything, 'trivial')}")


main()
