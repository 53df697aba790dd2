#!/usr/bin/env python3
"""The same profile and machine give the same bytes: twice, with another locale, time zone, address layout, filling of freed
memory and folder, and, where there is one, from the program built for the other instruction set (argument 2, run
under qemu-user). `made_by` apart, which says when and where."""
import os, pathlib, re, shutil, subprocess, sys, tempfile

program = os.path.abspath(sys.argv[1])
other = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("PERFCAST_OTHER", "")
root = pathlib.Path(__file__).parents[2]
golden = root / "tests/golden"
failures = 0
COMMANDS = [
    ["predict", "saavedra-livermore", "--machine", "vax-8600", "--machine", "cray-x-mp-48", "--model", "all", "--format", "json"],
    ["predict", golden / "bounds/toy-daxpy/toy-daxpy.profile.json", "--machine", "toy", "--format", "json"],
    ["predict", golden / "bounds/figure-25/figure-25.profile.json", "--machine", "toy"],
    ["predict", golden / "predict/toy-all-json/tiny.profile.json", "--machine", "toy", "--model", "all", "--format", "json"],
    ["predict", golden / "predict/ranks/ring.profile.json", "--machine", "toy", "--ranks", "5", "--format", "json"],
    ["bounds", golden / "bounds/toy-daxpy/toy-daxpy.profile.json", "--machine", "toy", "--no-measure", "--format", "json"],
    ["tree", golden / "tree/toy-core/loop.profile.json", "--machine", "toy", "--format", "json"],
    ["graph", "heat", "--format", "json"],
    ["machines", "compare", "vax-8600", "vax-11-780", "t800", "--format", "json"],
    ["choose", "saavedra-linpack", "saavedra-nas", "--machine", "vax-8600", "--machine", "sun-3-50", "--price", "vax-8600=3", "--price", "sun-3-50=1", "--format", "json"],
    ["show", "saavedra-whetstone"],
    ["export", "saavedra-whetstone", "--as", "flamegraph", "--machine", "vax-8600"],
]
ODD = [
    {"LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Pacific/Chatham"},
    {"LC_ALL": "C", "TZ": "UTC", "MALLOC_PERTURB_": "165", "PYTHONHASHSEED": "7", "COLUMNS": "40"},
    {"LC_NUMERIC": "fr_FR.UTF-8", "MALLOC_ARENA_MAX": "1", "MALLOC_TOP_PAD_": "9999999", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"},
    {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA"},  # a processor whose exp, log and pow round otherwise
]


def output(command, folder, environment=None, runner=()):
    env = dict(os.environ, PERFCAST_HOME=str(folder / "home"), **(environment or {}))
    done = subprocess.run([*runner, *map(str, command)], cwd=folder, env=env, capture_output=True, timeout=300 * int(os.environ.get("PERFCAST_TEST_PATIENCE", "1")))
    return done.returncode, re.sub(rb'"made_by": \{[^}]*\}', b'"made_by": {}', done.stdout)


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print("FAILED:", what)


with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
    a, b = pathlib.Path(first), pathlib.Path(second)
    runner = ()
    if other and pathlib.Path(other).exists():
        emulator = "qemu-aarch64" if os.uname().machine == "x86_64" else "qemu-x86_64"
        runner = (emulator, "-L", "/usr/aarch64-linux-gnu" if os.uname().machine == "x86_64" else "/usr/x86_64-linux-gnu")
    for command in COMMANDS:
        told = " ".join(map(str, command)).replace(str(root) + "/", "")
        code, bytes_ = output([program, *command], a)
        check(code == 0 and bytes_, f"{told}: exit {code}")
        for odd in ODD:
            check(output([program, *command], b, odd) == (code, bytes_), f"{told}: differs with {odd}")
        if shutil.which("setarch"):
            check(output([program, *command], b, None, ("setarch", "-R")) == (code, bytes_), f"{told}: differs without random addresses")
        if runner and shutil.which(runner[0]):
            check(output([other, *command], b, {"PERFCAST_DATA": str(root / "data")}, runner) == (code, bytes_), f"{told}: differs on the other instruction set")
print(f"determinism: {len(COMMANDS)} commands{', both instruction sets' if runner else ''},", "failed" if failures else "passed")
sys.exit(bool(failures))
