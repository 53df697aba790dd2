#!/usr/bin/env python3
"""A perfcast built for another instruction set, run under qemu-user for function: cross_run.py ARCH PROGRAM

Golden cases give the same answers, bit for bit up to rounding, as on this machine; the sections of a characterization
that need no compiler run. Exit 77 (skipped) when the program was not built (scripts/cross-check builds it) or qemu-user
is not here.
"""
import json, os, pathlib, shutil, subprocess, sys, tempfile

arch, program = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
root = pathlib.Path(__file__).resolve().parent.parent
qemu = shutil.which("qemu-" + arch)
if not qemu or not program.exists():
    print("skipped: " + ("qemu-%s is not here" % arch if not qemu else "%s was not built; scripts/cross-check builds it" % program))
    sys.exit(77)

with tempfile.TemporaryDirectory(prefix="perfcast-cross-") as folder:
    wrapper = pathlib.Path(folder) / "perfcast"
    wrapper.write_text(f'#!/bin/sh\nexec "{qemu}" -L "{program.parent}/sysroot" "{program}" "$@"\n')
    wrapper.chmod(0o755)
    environment = dict(os.environ, PERFCAST_HOME=folder + "/home", PERFCAST_DATA=str(root / "data"))

    def run(*words):
        done = subprocess.run([wrapper, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stderr}"
        return done.stdout

    assert "vax-11-780" in run("machines", "list")
    run("characterize", "--quick", "--section", "system", "--name", "there", "-o", "there.json")
    machine = json.loads(pathlib.Path(folder, "there.json").read_text())
    assert machine["isa"] == arch and machine["system"]["page_fault_ns"]["value"] > 0, machine
    run("machines", "compare", "there.json", "emerald-rapids")
    golden = subprocess.run([sys.executable, root / "tests" / "run_golden.py", wrapper], env=environment)
    assert golden.returncode == 0, "golden cases fail on " + arch
print("perfcast for " + arch + " works under qemu-user")
