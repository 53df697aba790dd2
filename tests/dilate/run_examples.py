#!/usr/bin/env python3
"""Dilates the examples: C and Fortran, MPI_Init_thread, programs that crash or never pass a message, OpenMP of both
compilers. Checks what is recorded, never how fast it was. run_examples.py PERFCAST EXAMPLES"""
import json, os, pathlib, re, shutil, subprocess, sys, tempfile

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


def listed_calls(folder):
    """The list of wrapped calls must hand on as many arguments as mpi.h says."""
    (folder / "header.c").write_text("#include <mpi.h>\n")
    header = subprocess.run(["mpicc", "-E", str(folder / "header.c")], capture_output=True, text=True).stdout
    header = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", header)
    declared = {}
    for name, arguments in re.findall(r"\b(MPI_\w+)\s*\(((?:[^()]|\([^()]*\))*)\)\s*;", header):
        declared[name] = 0 if arguments.strip() in ("", "void") else arguments.count(",") + 1
    listed = re.findall(r"^WRAP\((\w+), (\w+), \w+, (\d+), (\d+)\)", (examples.parent / "data/runtime/mpi_calls.h").read_text(), re.M)
    wrong = [c for c, f, n, m in listed if f != c.lower() or int(m) <= int(n) or declared.get("MPI_" + c, int(n)) != int(n)]
    check("wrapped calls have the arguments of mpi.h", declared and len(listed) > 150 and not wrong, wrong)


def recorded(program, *arguments, library="libperfcast_dilate_threads.so", launcher=(), said=None, **environment):
    """What a preloaded library writes of each process that did something; what the program says is added to `said`."""
    with tempfile.TemporaryDirectory() as folder:
        library = next((p for p in (pathlib.Path(perfcast).parent / library, pathlib.Path(perfcast).parent.parent / "lib/perfcast" / library) if p.exists()), None)
        if not library:
            return None
        here = dict(os.environ, LD_PRELOAD=str(library), PERFCAST_DILATE_FOLDER=folder, **environment)
        done = subprocess.run([*launcher, program, *arguments], env=here, capture_output=True, timeout=100)
        if said is not None:
            said.append(done.stdout)
        return [json.loads(file.read_text()) for file in pathlib.Path(folder).iterdir()]


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
        listed_calls(folder)
        # Calls of every family end a segment of computation: 6 on a window, 3 on a file, 2 among neighbours.
        families = folder / "families.c"
        families.write_text("""#include <mpi.h>
int main(int c, char** v) {
  MPI_Init(&c, &v);
  long* memory, one = 1, old, other[2];
  MPI_Win window;
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock_all(0, window);
  MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, window);
  MPI_Win_flush_all(window);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, v[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, 0, &one, 1, MPI_LONG, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Comm grid;
  int all = 1, periodic = 1, counts[2] = {1, 1}, places[2] = {0, 1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, &all, &periodic, 0, &grid);
  MPI_Neighbor_allgatherv(&one, 1, MPI_LONG, other, counts, places, MPI_LONG, grid);
  MPI_Finalize();
}
""")
        if program := build(folder, "mpicc", families):
            ranks = recorded(program, str(folder / "data"), library="libperfcast_dilate.so")
            if ranks is not None:
                check("calls of every family are seen", len(ranks) == 1 and sum(ranks[0]["calls"].values()) == 11 and ranks[0]["segments"] == 12, ranks)
        # The main thread waits for one that calls MPI: its waiting is not computation, and is not stretched.
        joined = folder / "joined.c"
        joined.write_text("""#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
static void* run(void* given) {
  for (int i = 0; i < 20; i++) usleep(10000), MPI_Barrier(MPI_COMM_SELF);
  return given;
}
int main(int c, char** v) {
  int provided;
  MPI_Init_thread(&c, &v, MPI_THREAD_MULTIPLE, &provided);
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  pthread_join(thread, 0);
  MPI_Finalize();
}
""")
        if program := build(folder, "mpicc", joined, "-pthread"):
            ranks = recorded(program, library="libperfcast_dilate.so", PERFCAST_DILATE_D="4")
            if ranks is not None:
                check("a thread that waits for another does not compute", len(ranks) == 1 and ranks[0]["threads"] == 2 and ranks[0]["compute"] < 0.15, ranks)
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
    # Serial work before the first region, three times that of each thread in it: counted, whichever run-time library. A region waits for
    # its slowest thread, so that who else wants a processor can only make the share smaller: one calm try is enough.
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
            for _ in range(4):
                done, record = dilate(program, options=("--threads", "-D", "1,2", "--repeats", "1"))
                shares = {r["region"]: r["share"] for r in record["regions"]} if record else {}
                if shares.get("serial", 0) > 0.3:
                    break
            check(f"serial work before the first region, by {compiler}", shares.get("serial", 0) > 0.3, (done.stderr, shares))
    # Named critical sections, locks and ordered parts: one thread at work, whatever the scheduling.
    turns = folder / "turns.c"
    turns.write_text("""#include <omp.h>
static double work(int n) { volatile double s = 1; for (int i = 0; i < n; i++) s = s * 0.9999 + 1; return s; }
int main(void) {
  double t = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; i++) {
#pragma omp critical(turn)
    t += work(300000);
    omp_set_lock(&lock);
    t += work(300000);
    omp_unset_lock(&lock);
  }
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(2)
  for (int i = 0; i < 20; i++)
#pragma omp ordered
    t += work(300000);
  return t < 0;
}
""")
    # A region within another: the work that follows it still belongs to the outer one.
    nested = folder / "nested.c"
    nested.write_text("""static double work(int n) { volatile double s = 1; for (int i = 0; i < n; i++) s = s * 0.9999 + 1; return s; }
int main(void) {
  double t = 0;
#pragma omp parallel num_threads(2) reduction(+:t)
  for (int i = 0; i < 5; i++) {
#pragma omp parallel num_threads(2) reduction(+:t)
    t += work(1000);
    t += work(2000000);
  }
  return t < 0;
}
""")
    # Tasks of every kind: as many segments of work as there are at least, and the same results as without being watched.
    tasks = folder / "tasks.cc"
    tasks.write_text("""#include <omp.h>
#include <cstdio>
#include <vector>
static double work(int n) { volatile double s = 1; for (int i = 0; i < n; i++) s = s * 0.9999 + 1; return s; }
struct Box { std::vector<int> v; Box() : v(100, 7) {} };
static long fib(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a) if (n > 6)
  a = fib(n - 1);
#pragma omp task shared(b) final(n < 5)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}
int main() {
  long f = 0, sum = 0, total = 0;
  int first = 0, second = 0;
  omp_event_handle_t event;
  Box box;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    f = fib(10);
    for (int i = 0; i < 50; i++)
#pragma omp task firstprivate(box, i) shared(total)
    {
      box.v[0] = work(1000) > 0 ? i : 0;
#pragma omp atomic
      total += box.v[0] + box.v[1];
    }
#pragma omp taskwait
#pragma omp taskloop reduction(+:sum) grainsize(10)
    for (long i = 0; i < 1000; i++) sum += i;
#pragma omp taskloop firstprivate(box) num_tasks(7) shared(total)
    for (unsigned long long i = 0; i < 100; i++) {
#pragma omp atomic
      total += box.v[3];
    }
#pragma omp task depend(out: first) shared(first)
    first = 5;
#pragma omp task depend(in: first) shared(first, second)
    second = first + 1;
#pragma omp task detach(event)
    omp_fulfill_event(event);
#pragma omp taskwait
  }
  long reduced = 0;
#pragma omp parallel num_threads(2) reduction(task, +:reduced)
#pragma omp single
  for (int i = 0; i < 50; i++)
#pragma omp task in_reduction(+:reduced)
    reduced += i * (work(1000) > 0);
  std::printf("%ld %ld %ld %d %ld\\n", f, sum, total, second, reduced);
}
""")
    for compiler in ("clang++-19", "g++"):
        if shutil.which(compiler) and (program := build(folder, compiler, tasks, "-fopenmp")):
            said = []
            if seen := recorded(program, said=said, PERFCAST_DILATE_D="2"):
                check(f"tasks by {compiler} do what they do alone", said == [subprocess.run([program], capture_output=True).stdout], said)
                check(f"tasks by {compiler} are segments of work", min(r["segments"] for r in seen[0]["regions"][1:]) > 50 and len(seen[0]["regions"]) == 3, seen)
    for compiler in ("clang-19", "gcc"):
        if not shutil.which(compiler):
            continue
        if compiler == "gcc" and (program := build(folder, compiler, turns, "-fopenmp")) and (seen := recorded(program)):
            segments = sum(r["segments"] for r in seen[0]["regions"][1:])
            check("who waits for its turn does not work, by gcc", segments > 100, seen)
        if (program := build(folder, compiler, nested, "-fopenmp")) and (seen := recorded(program)):
            serial, outer, inner = seen[0]["regions"]
            check(f"a region within another, by {compiler}",
                  outer["segments"] > 10 > serial["segments"] and serial["wall"] >= 0 and outer["entries"] == 1 and inner["entries"] == 10, seen)
    if seen := recorded("sleep", "0.5", PERFCAST_DILATE_D="6"):
        check("a program without regions is not stretched", seen[0]["elapsed"] < 2 * seen[0]["regions"][0]["work"], seen)
    if compiler := shutil.which("clang-19") or shutil.which("gcc"):
        if program := build(folder, compiler, examples / "threads" / "quicksort.c", "-fopenmp", "-lm"):
            subprocess.run([program, "200000", "2", str(folder / "q.json")], check=True, capture_output=True)
            done = subprocess.run([perfcast, "tree", str(folder / "q.json"), "--upgrade", "processors=1@3", "--format", "json"], capture_output=True, text=True)
            check("the demand of quicksort makes a tree", done.returncode == 0 and json.loads(done.stdout)["upgrades"][0]["improvement"] >= 1, done.stderr)
print(f"{len(failed)} failed")
sys.exit(bool(failed))
