#!/usr/bin/env python3
"""How long do bounds take beyond the program itself? Makes a C program of more than 2,000 lines with 200 loops of many kinds and
times its own run, analyze, and bounds with and without measuring.

  bench/bounds_speed.py build/perfcast MACHINE [LOOPS]"""
import os, resource, subprocess, sys, tempfile, time

KINDS = [  # (statements before, body, result); {k} is the loop's number
    ("", "y[i] = x[i] * {k}.5 + z[i];", "y[7]"),
    ("double s = 0;", "s += x[i] * y[i];", "s"),
    ("long s = 0;", "s += at[i] ^ {k};", "(double)s"),
    ("", "if (i > 0 && i + 1 < n)\n      y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];", "y[9]"),
    ("double s = 0;", "if (x[i] > 0.{k})\n      s += y[i];\n    else\n      s -= z[i];", "s"),
    ("", "z[at[i] % n] += x[i];", "z[3]"),
    ("double s = 1;", "s = s * 0.5 + x[i];", "s"),
    ("double s = 0;", "for (int j = 0; j < 4; j++)\n      s += x[i] * m[j][i % 16];", "s"),
    ("", "y[i] = x[i] / (1.0 + z[i] * z[i]);", "y[5]"),
    ("long s = 0;", "switch (at[i] & 3) {{\n      case 0: s += 1; break;\n      case 1: s ^= i; break;\n      default: s -= 2;\n    }}", "(double)s"),
]

def program(loops):
    lines = ["#include <stdio.h>", "static double x[2048], y[2048], z[2048], m[4][16];", "static int at[2048];"]
    for k in range(loops):
        before, body, result = KINDS[k % len(KINDS)]
        lines += [f"/* Loop {k}. */", f"__attribute__((noinline)) static double loop{k}(int n) {{"]
        lines += [before] if before else []
        lines += ["  for (int i = 0; i < n; i++) {", *("    " + l for l in body.format(k=k).split("\n")), "  }", f"  return {result};", "}", ""]
    lines += ["int main(void) {", "  double s = 0;", "  for (int i = 0; i < 2048; i++)", "    x[i] = i % 17 * 0.1, y[i] = 1, z[i] = i % 3, at[i] = (i * 7919) % 2048;"]
    lines += ["  for (int r = 0; r < 100; r++) {", *(f"    s += loop{k}({500 + 7 * (k % 200)});" for k in range(loops)), "  }", '  printf("%g\\n", s);', "  return 0;", "}"]
    return "\n".join(lines) + "\n"

perfcast, machine, loops = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 200
if os.path.exists(machine):
    machine = os.path.abspath(machine)
with tempfile.TemporaryDirectory() as folder:
    source = os.path.join(folder, "loops.c")
    text = program(loops)
    open(source, "w").write(text)
    subprocess.run(["clang-19", "-O2", source, "-o", folder + "/plain"], check=True)

    def seconds(*command):
        """Elapsed and processor time: on a busy machine the second means more."""
        start, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.time() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    own = min(seconds("./plain")[1] for _ in range(5))
    print(f"{text.count(chr(10))} lines, {loops} loops; own run {own:.3f} s")
    steps = {
        "analyze": ["analyze", source, "--cflags", "-O2", "-o", "p.json"],
        "bounds --no-measure": ["bounds", "p.json", "--machine", machine, "--no-measure", "--format", "json", "-o", "b.json"],
        "bounds": ["bounds", "p.json", "--machine", machine, "--format", "json", "-o", "b.json"],
        "bounds of the source": ["bounds", source, "--cflags", "-O2", "--machine", machine, "--format", "json", "-o", "b.json"],
    }
    for name, words in steps.items():
        elapsed, processor = seconds(perfcast, *words)
        print(f"{name}: {elapsed:.2f} s elapsed, {processor:.2f} s of processor time")
