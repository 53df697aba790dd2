#!/usr/bin/env python3
"""Programs under analysis are strangers. They crash, fork, exec, loop, print without end, close descriptors, catch signals,
leave by every door, kill themselves and fill the disk: perfcast keeps the counts it could gather, tells the reason, ends with the right
exit code, and leaves no process and no temporary file behind, also when it is itself interrupted."""
import json, os, pathlib, re, shutil, signal, subprocess, sys, tempfile, time, uuid

program = os.path.abspath(sys.argv[1])
patience = int(os.environ.get("PERFCAST_TEST_PATIENCE", "1"))  # times as long where sanitizers slow the program down
failures = 0

HEAD = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
static void seven(void) { int s = 0; for (int i = 0; i < 7; i++) s = work(s); }
static sigjmp_buf place;
static void back(int number) { (void)number; siglongjmp(place, 1); }
static void forever(void) { for (;;) ; }
"""

# name: (body of main, more options, exit code of perfcast, what it says, how often work() was called or None)
CASES = {
    "exits": ("seven(); return 0;", [], 0, "", 7),
    "exits with a code": ("seven(); return 9;", [], 0, "", 7),
    "_exit": ("seven(); _exit(3);", [], 0, "", 7),
    "quick_exit": ("seven(); quick_exit(4);", [], 0, "", 7),
    "segmentation fault": ("seven(); *(volatile int *)8 = 1; return 0;", [], 3, "SIGSEGV", 7),
    "abort": ("seven(); abort();", [], 3, "SIGABRT", 7),
    "division by zero or trap": ("seven(); __builtin_trap();", [], 3, "was killed by signal", 7),
    "kills itself": ("seven(); kill(getpid(), SIGKILL); for (;;) ;", [], 3, "SIGKILL", 7),
    "kills its whole group": ("seven(); kill(0, SIGTERM); for (;;) ;", [], 3, "SIGTERM", 7),
    "loops": ("seven(); for (;;) ;", ["--timeout", "1"], 3, "longer than 1 s", 7),
    "sleeps": ("seven(); for (;;) sleep(100);", ["--timeout", "1"], 3, "longer than 1 s", 7),
    "catches every signal": ("for (int i = 1; i < 32; i++) signal(i, SIG_IGN); seven(); for (;;) ;", ["--timeout", "1"], 3, "longer than 1 s", 7),
    "overflows its stack": ("seven(); char big[1 << 16]; memset(big, argc, sizeof big); __asm__ volatile(\"\" :: \"r\"(big)); return big[5] + main(argc + 1, argv);", [], 3, "was killed by signal", None),
    "prints without end": ("seven(); for (;;) puts(\"again and again\");", ["--output-limit", "1"], 3, "more than 1 MiB", 7),
    "prints without end to errors": ("seven(); for (;;) fputs(\"again and again\\n\", stderr);", ["--output-limit", "1"], 3, "more than 1 MiB", 7),
    "fills the disk": ("seven(); FILE *f = fopen(\"written.txt\", \"w\"); for (;;) fputs(\"again and again\\n\", f);", ["--file-limit", "8"], 3, "SIGXFSZ", 7),
    "closes all descriptors": ("for (int i = 0; i < 1000; i++) close(i); seven(); return 0;", [], 0, "", 7),
    "takes all memory": ("seven(); for (;;) { char *p = malloc(1 << 24); if (!p) abort(); memset(p, 1, 1 << 24); }", ["--memory-limit", "0.5"], 3, "SIGABRT", 7),
    "lowers its own limits": ("struct rlimit none = {0, 0}; setrlimit(RLIMIT_NOFILE, &none); seven(); return 0;", [], 0, "", 7),
    "forks and waits": ("seven(); if (fork() == 0) { seven(); _exit(0); } wait(0); return 0;", [], 0, "", 14),
    "leaves children behind": ("seven(); for (int i = 0; i < 20; i++) if (fork() == 0) { for (;;) sleep(100); } return 0;", [], 0, "", 7),
    "leaves a daemon behind": ("seven(); if (fork() == 0) { setsid(); if (fork() == 0) for (;;) sleep(100); _exit(0); } wait(0); return 0;", [], 0, "", 7),
    "its child crashes": ("seven(); if (fork() == 0) abort(); wait(0); return 0;", [], 0, "", 7),
    "becomes another program": ("seven(); execlp(\"true\", \"true\", (char *)0); return 1;", [], 0, "", 7),
    "becomes a program that fails": ("seven(); execlp(\"sh\", \"sh\", \"-c\", \"kill -9 $$\", (char *)0); return 1;", [], 3, "SIGKILL", 7),
    "stops itself": ("seven(); raise(SIGSTOP); return 0;", ["--timeout", "1"], 3, "longer than 1 s", 7),
    "becomes itself without end": ("seven(); execv(\"/proc/self/exe\", argv); return 1;", ["--timeout", "1"], 3, "longer than 1 s", None),
    "forks without end": ("seven(); for (int i = 0; i < 200; i++) if (fork() <= 0) break; for (;;) ;", ["--timeout", "1"], 3, "longer than 1 s", None),
    "handles its crash": ("if (!sigsetjmp(place, 1)) { signal(SIGSEGV, back); seven(); *(volatile int *)8 = 1; } return 0;", [], 0, "", 7),
    "overwrites all descriptors": ("int f = open(\"/dev/null\", O_RDWR); for (int i = 0; i < 1000; i++) if (i != f) dup2(f, i); seven(); return 0;", [], 0, "", 7),
    "loops at its exit": ("seven(); atexit(forever); return 0;", ["--timeout", "1"], 3, "longer than 1 s", 7),
    "writes a file": ("seven(); FILE *f = fopen(\"written.txt\", \"w\"); fputs(\"mine\", f); fclose(f); return 0;", [], 0, "", 7),
    "changes its folder": ("seven(); if (chdir(\"/\")) return 1; return 0;", [], 0, "", 7),
    "reads its input": ("seven(); while (getchar() != EOF) ; return 0;", [], 0, "", 7),
}


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print("FAILED:", what)


def marked(mark):
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if mark.encode() in pathlib.Path("/proc", entry, "environ").read_bytes():
                    found.append(int(entry))
            except OSError:
                pass
    return found


class Place:
    def __init__(self, root):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=root))
        self.tmp = self.folder / "tmp"
        self.tmp.mkdir()
        self.mark = "PERFCAST_TEST_MARK=" + uuid.uuid4().hex
        key, value = self.mark.split("=")
        self.env = dict(os.environ, TMPDIR=str(self.tmp), PERFCAST_HOME=str(self.folder / "home"), **{key: value})

    def source(self, body):
        (self.folder / "p.c").write_text(HEAD + "int main(int argc, char **argv) { (void)argc, (void)argv;\n" + body + "\n}\n")

    def nothing_left(self, told):
        for _ in range(20):
            if not marked(self.mark):
                break
            time.sleep(0.1)
        check(not marked(self.mark), told + "processes are left")
        for pid in marked(self.mark):
            os.kill(pid, signal.SIGKILL)
        left = [str(p) for p in self.tmp.rglob("*")]
        check(not left, told + f"temporary files are left: {left}")


def calls_of(profile, name):
    level = profile.get("ir") or profile.get("machine") or {"functions": []}
    for function in level["functions"]:
        if function["name"] == name:
            calls = function.get("calls", 0)
            return calls["value"] if isinstance(calls, dict) else calls
    return 0


def stranger(name, case, root, binary=False, levels="ir"):
    body, options, code, says, calls = case
    place, told = Place(root), f"{name}{' (binary)' if binary else ''}: "
    place.source(body)
    what = ["p.c", "--levels", levels]
    if binary:
        subprocess.run(["gcc", "-O1", "-w", "p.c", "-o", "p"], cwd=place.folder, check=True)
        what = ["--binary", "./p"]
    done = subprocess.run([program, "analyze", *what, *options, "-o", "p.json"], cwd=place.folder, env=place.env, capture_output=True, text=True, timeout=100 * patience)
    check(done.returncode == code, told + f"exit {done.returncode}, expected {code}: {done.stderr}")
    check(says in done.stderr, told + f"does not say \"{says}\": {done.stderr}")
    check(code == 0 or "try:" in done.stderr, told + "says not what to try: " + done.stderr)
    file = place.folder / "p.json"
    check(file.exists(), told + "no profile is left")
    if file.exists() and calls is not None:
        profile = json.loads(file.read_text())
        check(calls_of(profile, "work") == calls, told + f"work() was counted {calls_of(profile, 'work')} times, not {calls}")
        check(code == 0 or profile["run"].get("ending"), told + "the profile does not say how the run ended")
    # What the program writes lies in the folder it was started in; of ours there is the profile, and no core.
    files = {str(p.relative_to(place.folder)) for p in place.folder.rglob("*") if p.is_file()}
    check(files <= {"p.c", "p", "p.json"} | ({"written.txt"} if "written.txt" in body else set()), told + f"files are left: {files}")
    check(name != "writes a file" or "written.txt" in files, told + "the program's own file is gone")
    place.nothing_left(told)


def interrupted(root, number, arguments, body, after):
    place, told = Place(root), f"{signal.Signals(number).name} during {' '.join(arguments)}: "
    place.source(body)
    subprocess.run(["gcc", "-O1", "-w", "p.c", "-o", "p"], cwd=place.folder, check=True)
    (place.folder / "p.json").write_text("old")
    running = subprocess.Popen([program, *arguments], cwd=place.folder, env=place.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after)
    still = running.poll() is None
    running.send_signal(number)
    try:
        running.wait(timeout=20 * patience)
    except subprocess.TimeoutExpired:
        running.kill()
        check(False, told + "it does not end")
    if still:
        check(running.returncode == -number, told + f"exit {running.returncode}")
        check((place.folder / "p.json").read_text() == "old", told + "the old file is gone")
    if number == signal.SIGKILL:
        for file in place.tmp.iterdir():  # cannot be removed by a process that is no more
            shutil.rmtree(file)
    place.nothing_left(told)


def wait_until_watched(running, number):
    """Starting takes its time on a busy machine. Signals that perfcast answers are blocked, for a thread of its own to take."""
    for _ in range(400 * patience):
        blocked = re.search(r"^SigBlk:\s*([0-9a-f]+)", pathlib.Path(f"/proc/{running.pid}/status").read_text(), re.M)
        if running.poll() is not None or (blocked and int(blocked[1], 16) >> (number - 1) & 1):
            return
        time.sleep(0.05)


def interrupted_characterization(root, times, code, over=False, tries=1):
    """The first Ctrl-C ends after the running step and keeps what was measured, a second one ends at once. A machine that is
    there already is not replaced by a part of one. Where the step ends before the second Ctrl-C it is tried again."""
    place, told = Place(root), f"{times} SIGINT during characterize{' over an old file' if over else ''}: "
    if over:
        (place.folder / "m.json").write_text("old")
    running = subprocess.Popen([program, "characterize", "--quick", "--compiler", "gcc", "--section", "system", "--section", "source", "-o", "m.json"],
                               cwd=place.folder, env=place.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_until_watched(running, signal.SIGINT)
    time.sleep(1.0 + 0.3 * (tries - 1))  # at another step each time
    for _ in range(times):
        running.send_signal(signal.SIGINT)
        time.sleep(0.1)
    errors = running.communicate(timeout=60 * patience)[1]
    if tries > 1 and running.returncode == 0 and "interrupted" in errors:
        return interrupted_characterization(root, times, code, over, tries - 1)
    check(running.returncode == code, told + f"exit {running.returncode}: {errors}")
    check(not over or (place.folder / "m.json").read_text() == "old", told + "the old file is gone")
    check((place.folder / ("m.json.interrupted" if over else "m.json")).exists() == (code == 0), told + "the file is " + ("missing" if code == 0 else "there"))
    check(code != 0 or "interrupted" in errors, told + "it does not say so: " + errors)
    place.nothing_left(told)


def ignored_stays_ignored(root):
    place = Place(root)
    place.source("sleep(1); return 0;")
    running = subprocess.Popen([program, "analyze", "p.c", "--levels", "ir", "-o", "p.json"], cwd=place.folder, env=place.env, stdout=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    time.sleep(0.7)
    running.send_signal(signal.SIGHUP)
    check(running.wait(timeout=60 * patience) == 0, "a signal that nohup ignores ended it")
    place.nothing_left("nohup: ")


def full_temporary_folder(root, free_kib, binary):
    """perfcast's own files have no room: it says so, and neither dies nor leaves anything. Needs a file system of its own."""
    place, told = Place(root), f"{free_kib} KiB free below TMPDIR{' (binary)' if binary else ''}: "
    place.source("seven(); return 0;")
    subprocess.run(["gcc", "-O1", "-w", "p.c", "-o", "p"], cwd=place.folder, check=True)
    what = "--binary ./p" if binary else "p.c"
    script = f"mount -t tmpfs -o size={free_kib}k tmpfs '{place.tmp}' || exit 77; '{program}' analyze {what} -o p.json; code=$?; find '{place.tmp}' -type f; exit $code"
    done = subprocess.run(["unshare", "--mount", "sh", "-c", script], cwd=place.folder, env=place.env, capture_output=True, text=True, timeout=100 * patience)
    if done.returncode in (1, 77) and "perfcast:" not in done.stderr:
        return  # not allowed here
    check(done.returncode in (0, 3), told + f"exit {done.returncode}: {done.stderr}")
    check(done.returncode == 0 or "space" in done.stderr.lower(), told + "does not say why: " + done.stderr)
    check(str(place.tmp) not in done.stdout, told + "temporary files are left: " + done.stdout)


with tempfile.TemporaryDirectory() as root:
    for name, case in CASES.items():
        stranger(name, case, root)
    for name in ("_exit", "quick_exit", "becomes another program", "closes all descriptors", "segmentation fault"):
        stranger(name, CASES[name], root, levels="source,ir,machine,memory")
    if shutil.which("gcc"):
        for name in ("exits", "_exit", "segmentation fault", "loops", "leaves a daemon behind", "kills itself"):
            body, options, code, says, calls = CASES[name]
            if name == "loops":  # qemu takes its time to start on a busy machine
                options, says = ["--timeout", "5"], "longer than 5 s"
            stranger(name, (body, options, code, says, calls), root, binary=True)
        loop = "for (;;) { volatile int x = argc; (void)x; }"
        sources = ["analyze", "p.c", "--levels", "ir", "-o", "p.json"]
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            interrupted(root, number, sources, loop, 2.0)
        for after in (0.05, 0.15, 0.3, 0.5):
            interrupted(root, signal.SIGTERM, sources, loop, after)
        interrupted(root, signal.SIGINT, ["analyze", "--binary", "./p", "-o", "p.json"], loop, 2.0)
        for free_kib in (16, 48, 400):
            for binary in (False, True):
                full_temporary_folder(root, free_kib, binary)
        interrupted_characterization(root, 1, 0)
        interrupted_characterization(root, 1, 0, over=True)
        interrupted_characterization(root, 2, -signal.SIGINT, tries=6)
    ignored_stays_ignored(root)
print("strangers:", "failed" if failures else "passed")
sys.exit(bool(failures))
