#!/usr/bin/env python3
"""Broken sources, truncated and flipped binaries, odd debug information, broken build folders, broken records: perfcast
answers with exit code 0, 1, 2 or 3 and, when it is not 0, a sentence; never with a crash, a hang or code 70. Deterministic:
the places that are broken are fixed."""
import json, os, pathlib, random, shutil, subprocess, sys, tempfile

program = os.path.abspath(sys.argv[1])
llvm = sys.argv[2] == "llvm"
patience = int(os.environ.get("PERFCAST_TEST_PATIENCE", "1"))  # times as long where sanitizers slow the program down
failures, runs = 0, 0
environment = dict(os.environ)


def run(arguments, folder, told, seconds=60, by=()):
    global failures, runs
    runs += 1
    try:
        done = subprocess.run([*by, program, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=patience * seconds)
        bad = done.returncode not in (0, 1, 2, 3)
        silent = done.returncode != 0 and not done.stderr.strip()
        if bad or silent:
            failures += 1
            print(f"FAILED: {told}: exit {done.returncode}\n{done.stderr[-2000:].decode(errors='replace')}")
        return done.returncode
    except subprocess.TimeoutExpired:
        failures += 1
        print(f"FAILED: {told}: still running after {patience * seconds} s")


def broken(data, numbers, pieces, flips):
    """The file cut at so many places, and with so many bytes changed, one at a time and in runs."""
    for k in range(pieces):
        yield f"cut to {k}/{pieces}", data[: len(data) * k // pieces]
    for k in range(flips):
        changed = bytearray(data)
        at = numbers.randrange(len(data))
        for i in range(at, min(len(data), at + (1 if k % 2 else 8))):
            changed[i] = numbers.choice((0, 255, 127, changed[i] ^ 1 << numbers.randrange(8)))
        yield f"byte {at} changed", bytes(changed)


C = """#include <stdio.h>
static double a[100];
int main(int argc, char **argv) {
  double s = 0;
  for (int i = 0; i < 100; i++) a[i] = i * 0.5;
  for (int i = 0; i < 100; i++) s += a[i];
  printf("%g\\n", s);
  return argc > 5;
}
"""
FORTRAN = """program p
  implicit none
  integer :: i
  real(8) :: a(100), s
  do i = 1, 100
    a(i) = i*0.5d0
  end do
  s = sum(a)
  print *, s
end program p
"""
ODD_SOURCES = {
    "empty.c": b"", "no_main.c": b"int f(void) { return 1; }\n", "binary.c": bytes(range(256)) * 20, "deep.c": b"int main(void) { return " + b"(" * 20000 + b"1" + b")" * 20000 + b"; }\n",
    "long_line.c": b"int main(void) { int x = 0; " + b"x += 1; " * 20000 + b"return x > 9999999; }\n", "endless_include.c": b'#include "endless_include.c"\nint main(void) { return 0; }\n',
    "macro.c": b"#define A B B B B B B B B\n#define B C C C C C C C C\n#define C D D D D D D D D\n#define D x++; x++; x++; x++;\nint main(void) { int x = 0; A return x < 0; }\n",
    "asm.c": b"int main(void) { __asm__ volatile(\"this is no instruction\"); return 0; }\n", "two_mains.c": b"int main(void) { return 0; }\nint main(void) { return 1; }\n",
    "line_marks.c": b'#line 2147483647 "/nowhere/at/all.c"\nint main(void) { for (int i = 0; i < 9; i++) __asm__ volatile("");\n#line 0 ""\nreturn 0; }\n', "utf8.c": "int main(void) { int grün = 3; for (int i = 0; i < grün; i++) __asm__ volatile(\"\"); return 0; }\n".encode(),
    "empty.f90": b"", "half.f90": b"program p\n do i = 1, 10\n", "binary.f90": bytes(range(128, 256)) * 20, "fixed.f": b"      PROGRAM P\n      DO 10 I=1,10\n   10 CONTINUE\n      END\n", "goto.f90": b"program p\n go to 99\nend program\n",
    "template.cpp": b"template <int n> struct S { static const int v = S<n + 1>::v; };\nint main() { return S<0>::v; }\n", "throws.cpp": b"#include <stdexcept>\nint main() { throw std::runtime_error(\"unexpected\"); }\n",
}


def sources(folder, numbers):
    for name, text in ODD_SOURCES.items():
        (folder / name).write_bytes(text)
        run(["analyze", name, "--levels", "source,ir", "--timeout", "5", "-o", "p.json"], folder, f"source {name}")
    for name, text in (("p.c", C), ("p.f90", FORTRAN)):
        for told, data in broken(text.encode(), numbers, 4, 6):
            (folder / name).write_bytes(data)
            run(["analyze", name, "--levels", "source,ir", "--timeout", "5", "-o", "p.json"], folder, f"{name} {told}")
    run(["analyze", "no-such-file.c"], folder, "a source that is not there")
    run(["analyze", "."], folder, "a folder as source")


def binaries(folder, numbers):
    if not shutil.which("gcc"):
        return
    (folder / "p.c").write_text(C)
    subprocess.run(["gcc", "-O1", "-g", "p.c", "-o", "whole"], cwd=folder, check=True)
    subprocess.run(["gcc", "-O1", "-g", "-c", "p.c", "-o", "p.o"], cwd=folder, check=True)
    data = (folder / "whole").read_bytes()
    variants = list(broken(data, numbers, 6, 10))
    # The ELF header, the section headers and the debug information are where a reader goes wrong.
    header = int.from_bytes(data[0x28:0x30], "little")
    debug = data.find(b"GNU C1")
    for at in [4, 5, 16, 18, 24, 32, 40, 54, 56, 58, 60, 62, header + 64 * 5 + 24, header + 64 * 10 + 32, header + 64 * 20 + 16, debug, debug + 40]:
        for value in (0, 255):
            changed = bytearray(data)
            changed[at : at + 4] = bytes([value]) * 4
            variants.append((f"bytes {at} to {at + 3} are {value}", bytes(changed)))
    for told, changed in variants:
        file = folder / "broken"
        file.write_bytes(changed)
        file.chmod(0o755)
        run(["analyze", "--binary", "./broken", "--timeout", "5", "-o", "p.json"], folder, f"binary {told}")
    (folder / "p.o").chmod(0o755)
    run(["analyze", "--binary", "./p.o", "-o", "p.json"], folder, "an object as binary")
    (folder / "script").write_text("#!/bin/sh\nexit 0\n")
    (folder / "script").chmod(0o755)
    run(["analyze", "--binary", "./script", "-o", "p.json"], folder, "a script as binary")
    run(["analyze", "--binary", "./p.c", "-o", "p.json"], folder, "a source as binary")
    for flags in (["-g0", "-s"], ["-gdwarf-2"], ["-gdwarf-5", "-gz"], ["-g1"], ["-gsplit-dwarf"], ["-static"], ["-no-pie"], ["-Wl,--gc-sections", "-ffunction-sections"]):
        if subprocess.run(["gcc", "-O1", *flags, "p.c", "-o", "odd"], cwd=folder, capture_output=True).returncode == 0:
            if run(["analyze", "--binary", "./odd", "-o", "p.json"], folder, f"binary with {flags}") != 0:
                global failures
                failures += 1
                print(f"FAILED: a good binary with {flags} is refused")


def folder_that_is_gone(folder):
    (folder / "p.c").write_text(C)
    run(["analyze", str(folder / "p.c"), "-o", str(folder / "p.json")], folder, "the current folder was removed", by=["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"'])


def build_folders(folder, numbers):
    (folder / "p.c").write_text(C)
    good = json.dumps([{"directory": str(folder), "file": "p.c", "command": "cc -O1 -c p.c -o p.o"}])
    odd = ["", "{}", "[]", "[1]", "[{}]", '[{"directory": 5, "file": [], "command": null}]', '[{"file": "p.c", "arguments": []}]', '[{"directory": "/nowhere", "file": "p.c", "arguments": ["cc"]}]',
           '[{"directory": ".", "file": "p.c", "command": "cc \\"unclosed"}]', "[" * 5000]
    for text in odd + [data.decode(errors="replace") for _, data in broken(good.encode(), numbers, 4, 6)]:
        (folder / "compile_commands.json").write_text(text)
        run(["analyze", "-p", ".", "--levels", "ir", "--timeout", "5", "-o", "p.json"], folder, f"compile_commands.json {text[:60]}")


def records(folder, numbers):
    root = pathlib.Path(__file__).parents[2]
    chosen = [root / "data/machines/toy.machine.json", root / "tests/golden/bounds/toy-daxpy/toy-daxpy.profile.json", root / "tests/golden/predict/ranks/ring.profile.json"]
    for file in chosen:
        for told, data in broken(file.read_bytes(), numbers, 5, 12):
            (folder / "r.json").write_bytes(data)
            machine = ["--machine", "r.json"] if "machine" in file.name else ["--machine", "toy"]
            profile = "saavedra-linpack" if "machine" in file.name else "r.json"
            for arguments in (["show", "r.json"], ["predict", profile, *machine, "--model", "all"], ["report", "r.json", "-o", "r.html"], ["export", "r.json"]):
                run(arguments, folder, f"{file.name} {told}: {arguments[0]}")
    for text in (b"", b"null", b"[]", b"{", b"\xff\xfe", b"[" * 100000, b'{"format": "perfcast.machine", "version": 99}', b'{"format": "perfcast.profile", "version": -1}', b'{"format": 7}', b'{"format": "perfcast.machine", "version": 1e400}'):
        (folder / "r.json").write_bytes(text)
        for command in ("show", "export", "bounds", "scale", "tree"):
            run([command, "r.json"], folder, f"{command} of {text[:40]}")


def platforms(folder, numbers):
    if not pathlib.Path(os.path.dirname(program), "perfcast-simgrid").exists():
        return
    root = pathlib.Path(__file__).parents[2]
    for told, data in broken((root / "data/platforms/ethernet-cluster.xml").read_bytes(), numbers, 4, 6):
        (folder / "p.xml").write_bytes(data)
        run(["predict", str(root / "tests/golden/predict/ranks/ring.profile.json"), "--machine", "toy", "--ranks", "4", "--network", "simgrid", "--platform", "p.xml"], folder, f"platform {told}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "tmp").mkdir()
    environment.update(TMPDIR=str(folder / "tmp"), PERFCAST_HOME=str(folder / "home"))
    numbers = random.Random(1988)
    records(folder, numbers)
    platforms(folder, numbers)
    if llvm:
        folder_that_is_gone(folder)
        build_folders(folder, numbers)
        sources(folder, numbers)
        binaries(folder, numbers)
    left = [str(p) for p in (folder / "tmp").iterdir()]
    if left:
        failures += 1
        print("FAILED: temporary files are left:", left)
print(f"broken inputs: {runs} runs,", "failed" if failures else "passed")
sys.exit(bool(failures))
