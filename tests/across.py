#!/usr/bin/env python3
"""One step across instruction sets: across.py PERFCAST

A program is analysed for x86-64 and for AArch64 (one of them under qemu-user) and a machine is chosen; both machines are
answered from machine code. Exit 77 (skipped) when the other instruction set's C library or qemu-user is not here.
"""
import json, os, pathlib, platform, re, shutil, subprocess, sys, tempfile

program = os.path.abspath(sys.argv[1])
other = "aarch64" if platform.machine() == "x86_64" else "x86_64"
if not shutil.which("qemu-" + other) or not pathlib.Path(f"/usr/{other}-linux-gnu/lib").exists():
    print(f"skipped: qemu-{other} or the C library of {other} (g++-{other.replace('_', '-')}-linux-gnu) is not here")
    sys.exit(77)
source = """#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100;
  double *a = malloc(8 * (size_t)n), s = 0;
  for (int i = 0; i < n; i++) a[i] = i % 7;
  for (int r = 0; r < 50; r++) for (int i = 1; i < n; i++) { a[i] = 0.5 * (a[i] + a[i - 1]); s += a[i]; }
  printf("%g\\n", s);
  return 0;
}
"""
vectors = """double a[4096], b[4096];
int main(void) {
  for (int r = 0; r < 50; r++) for (int i = 0; i < 4096; i++) a[i] += 0.5 * b[i];
  return a[7] != 0;
}
"""
with tempfile.TemporaryDirectory(prefix="perfcast-across-") as folder:
    def run(*words):
        done = subprocess.run([program, *words], cwd=folder, env=dict(os.environ, PERFCAST_HOME=folder), capture_output=True, text=True, timeout=300 * int(os.environ.get("PERFCAST_TEST_PATIENCE", "1")))
        assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stderr}"
        return done.stdout

    pathlib.Path(folder, "relax.c").write_text(source)
    words = ["choose", "relax.c", "--cflags", "-O2 -march=native", "--machine", "emerald-rapids", "--machine", "neoverse-v1", "--format", "json"]
    choice = json.loads(run(*words, "--", "1000"))
    models = {offer["machine"]: [p["model"] for p in offer["programs"]] for offer in choice["offers"]}
    assert models == {"emerald-rapids": ["icc"], "neoverse-v1": ["icc"]}, models
    comparison = json.loads(run("machines", "compare", "emerald-rapids", "neoverse-v1", "--profile", "relax.c", "--cflags", "-O2", "--format", "json", "--", "1000"))
    gained = comparison["programs"][0]
    assert "neoverse-v1" in gained["gain"] and "neoverse-v1" in gained["mostly"], gained

    # The profile of either target says what it was made for, and counts the same work.
    work = {}
    for target in (platform.machine(), other):
        run("analyze", "relax.c", "--cflags", "-O1", "--target", target + "-linux-gnu", "-o", target + ".json", "--", "1000")
        profile = json.loads(pathlib.Path(folder, target + ".json").read_text())
        assert profile["run"]["isa"] == target, profile["run"]
        work[target] = sum(b["count"] * b["usage"].get("fadd.f64", 0) for f in profile["ir"]["functions"] for b in f["blocks"] if isinstance(b["count"], (int, float)))
    assert len(set(work.values())) == 1 and list(work.values())[0] > 0, work

    # Scalable vectors are counted as wide as those of the CPU that is named, whatever this host or qemu has.
    pathlib.Path(folder, "saxpy.c").write_text(vectors)
    for cpu, lanes in (("neoverse-v1", 4), ("a64fx", 8)):
        run("analyze", "saxpy.c", "--cflags", "-O2", "--target", "aarch64-linux-gnu", "--mcpu", cpu, "--levels", "ir,machine", "-o", "saxpy.json")
        profile = json.loads(pathlib.Path(folder, "saxpy.json").read_text())
        fused = sum(block["count"] for f in profile["machine"]["functions"] for block in f["blocks"] for i in block["code"]
                    if re.match("FM(LA|AD)_ZP", profile["forms"][i["form"]]["opcode"]))
        assert fused == 4096 * 50 / lanes, (cpu, fused, profile.get("gaps"))
print("one step across instruction sets works")
