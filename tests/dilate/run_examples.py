#!/usr/bin/env python3
"""Dilates the examples: C and Fortran, MPI_Init_thread, programs that crash or never pass a message, OpenMP of both
compilers. Checks what is recorded, never how fast it was. run_examples.py PERFCAST EXAMPLES"""
import json, os, pathlib, shutil, subprocess, sys, tempfile

perfcast, examples = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
failed = []


def check(name, holds, why=""):
    print(("ok     " if holds else "FAILED ") + name + ("" if holds else ": " + str(why)))
    if not holds:
        failed.append(name)


def build(folder, compiler, source, *flags):
    program = folder / (source.stem + "-" + pathlib.Path(compiler).name + "-" + source.suffix[1:])
    done = subprocess.run([compiler, "-O1", "-g", str(source), "-o", str(program), *flags], capture_output=True, text=True)
    return str(program) if done.returncode == 0 else check(f"{compiler} {source.name}", False, done.stderr)


def dilate(*command, options=("-D", "1,2", "--repeats", "1")):
    done = subprocess.run([perfcast, "dilate", *options, "--timeout", "60", "--format", "json", "--", *command], capture_output=True, text=True, timeout=300 * int(os.environ.get("PERFCAST_TEST_PATIENCE", "1")))
    return done, json.loads(done.stdout) if done.returncode == 0 else None


def messages(name, *command):
    done, record = dilate("mpirun", "--oversubscribe", "-n", "2", *command)
    if not record:
        return check(name, False, done.stderr)
    one, two = record["points"]
    check(name + ": two ranks, two factors", record["ranks"] == 2 and [p["d"] for p in record["points"]] == [1, 2])
    check(name + ": segments are the same at every factor", one["segments"] == two["segments"] > 10, [one["segments"], two["segments"]])
    times = two["times"]
    total = sum(times.values())
    check(name + ": times add up", abs(total - two["elapsed"]) < 1e-6 * two["elapsed"], [total, two["elapsed"]])
    check(name + ": normalised", abs(two["normalized"] * 2 - two["elapsed"]) < 1e-9 * two["elapsed"])
    check(name + ": there is a verdict", record["verdict"] in ("compute-bound", "transport-bound", "logic-bound", "unclear"))


def threads(name, program):
    done, record = dilate(program, "60000", "1", options=("--threads", "-D", "1,2", "--repeats", "1", "--regions", "1"))
    if not record:
        return check(name, False, done.stderr)
    check(name + ": a region was found and slowed", record["kind"] == "threads" and record["regions"] and record["regions"][0]["points"][0]["d"] == 2, record)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    os.environ["OMP_NUM_THREADS"] = "2"
    if shutil.which("mpicc") and shutil.which("mpirun"):
        for source, arguments in (("ring.c", ("XB", "500", "20")), ("mesh.c", ("XA", "400", "20")), ("random.c", ("XB2", "400", "20")), ("halo.c", ("64", "20"))):
            if program := build(folder, "mpicc", examples / "messages" / source, "-lm"):
                messages(source, program, *arguments)
        if shutil.which("mpifort"):
            if program := build(folder, "mpifort", examples / "messages" / "halo.f90"):
                messages("halo.f90", program, "64", "20")
            modern = folder / "modern.f90"
            modern.write_text("""program modern
  use mpi_f08
  implicit none
  integer :: rank, k
  double precision :: x, y
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  x = rank
  do k = 1, 20
    call MPI_Sendrecv(x, 1, MPI_DOUBLE_PRECISION, 1 - rank, 0, &
      y, 1, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Allreduce(y, x, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end do
  call MPI_Finalize()
end program
""")
            if program := build(folder, "mpifort", modern):
                messages("Fortran 2008", program)
        crash = folder / "crash.c"
        crash.write_text("#include <mpi.h>\n#include <stdlib.h>\nint main(int c, char** v) { MPI_Init(&c, &v); abort(); }\n")
        if program := build(folder, "mpicc", crash):
            done, _ = dilate("mpirun", "--oversubscribe", "-n", "2", program)
            check("a crash is told", done.returncode == 3 and "with and without dilation" in done.stderr, done.stderr)
        done, _ = dilate("mpirun", "--oversubscribe", "-n", "2", "true")
        check("a program without MPI is told", done.returncode == 3 and "MPI" in done.stderr, done.stderr)
    else:
        print("no MPI here: its examples are not run")
    for compiler in ("clang-19", "gcc"):
        if shutil.which(compiler):
            if program := build(folder, compiler, examples / "threads" / "stages.c", "-fopenmp", "-lm"):
                threads(f"stages.c by {compiler}", program)
    # Serial work before the first region, three times that of each thread in it: counted, whichever run-time library.
    serial = folder / "serial.c"
    serial.write_text("""#include <stdio.h>
static double work(int n) { volatile double s = 1; for (int i = 0; i < n; i++) s = s * 0.9999 + 1; return s; }
int main(void) {
  double t = work(9000000);
#pragma omp parallel reduction(+:t)
  t += work(3000000);
  printf("%g\\n", t);
}
""")
    for compiler in ("clang-19", "gcc"):
        if shutil.which(compiler) and (program := build(folder, compiler, serial, "-fopenmp")):
            done, record = dilate(program, options=("--threads", "-D", "1,2", "--repeats", "1"))
            shares = {r["region"]: r["share"] for r in record["regions"]} if record else {}
            check(f"serial work before the first region, by {compiler}", shares.get("serial", 0) > 0.3, (done.stderr, shares))
    if compiler := shutil.which("clang-19") or shutil.which("gcc"):
        if program := build(folder, compiler, examples / "threads" / "quicksort.c", "-fopenmp", "-lm"):
            subprocess.run([program, "200000", "2", str(folder / "q.json")], check=True, capture_output=True)
            done = subprocess.run([perfcast, "tree", str(folder / "q.json"), "--upgrade", "processors=1@3", "--format", "json"], capture_output=True, text=True)
            check("the demand of quicksort makes a tree", done.returncode == 0 and json.loads(done.stdout)["upgrades"][0]["improvement"] >= 1, done.stderr)
print(f"{len(failed)} failed")
sys.exit(bool(failed))
