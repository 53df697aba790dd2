#!/usr/bin/env python3
"""Files are written whole or not at all. Every call of perfcast that changes files is made to fail, to write half, or to
kill the process, one after the other (fault_shim.c); afterwards the output is the old file or the new one, byte for byte,
and no temporary file is left. Then two runs at once write one output, and commands run on a system without threads, and
on one whose clock is set to and fro."""
import datetime, json, os, pathlib, pty, subprocess, sys, tempfile, time

program, shim = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
patience = int(os.environ.get("PERFCAST_TEST_PATIENCE", "1"))  # times as long where sanitizers slow the program down
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print("FAILED:", what)


def run(arguments, folder, at=None, kind="", environment=None):
    env = dict(os.environ, TMPDIR=str(folder / "tmp"), PERFCAST_HOME=str(folder / "home"), **(environment or {}))
    if at is not None:
        if environment is None:
            env.update(LLVM_PROFILE_FILE="/dev/null")  # a build that counts its lines would write them between the faults
        env.update(LD_PRELOAD=shim, FAULT_AT=str(at), FAULT_KIND=kind, FAULT_COUNT=str(folder / "calls"))
    return subprocess.run([program, *arguments], cwd=folder / "out", env=env, capture_output=True, text=True, timeout=120 * patience)


def files_in(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def without_made_by(data):
    value = json.loads(data)
    value.pop("made_by", None)
    return value


COMMANDS = {
    "prediction": (["predict", "saavedra-linpack", "--machine", "vax-8600", "-o", "answer.json"], "answer.json"),
    "comparison": (["machines", "compare", "vax-8600", "t800", "--format", "json", "-o", "compared.json"], "compared.json"),
    "table": (["export", "vax-8600", "--table", "source.costs", "-o", "costs.csv"], "costs.csv"),
    "design": (["graph", "find_max", "--format", "json", "-o", "graph.json"], "graph.json"),
}


def at_every_call(name, arguments, output, old, root):
    folder = pathlib.Path(tempfile.mkdtemp(dir=root))
    for inner in ("tmp", "home", "out"):
        (folder / inner).mkdir()
    target = folder / "out" / output
    if old is not None:
        target.write_bytes(old)
    done = run(arguments, folder, 0)
    check(done.returncode in (0, 2, 3), f"{name}, without a fault: exit {done.returncode} {done.stderr}")
    if done.returncode != 0:
        # A command of this build may lack the table or topic; what it writes is what counts.
        return print(f"skipped {name}: {done.stderr.strip()}")
    new, calls = target.read_bytes(), int((folder / "calls").read_text())
    check(calls >= 3, f"{name}: only {calls} calls seen")
    for kind in ("ENOSPC", "EIO", "half", "kill"):
        for at in range(1, calls + 2):
            target.unlink(missing_ok=True)
            if old is not None:
                target.write_bytes(old)
            done = run(arguments, folder, at, kind)
            told = f"{name}, {'over an old file' if old is not None else 'new'}, {kind} at call {at}: "
            if kind == "kill":
                check(done.returncode in (-9, 0), told + f"exit {done.returncode}")
            else:
                check(done.returncode in (0, 3), told + f"exit {done.returncode} {done.stderr}")
            now = target.read_bytes() if target.exists() else None
            check(now == old or (now is not None and (now == new or (output.endswith(".json") and without_made_by(now) == without_made_by(new)))),
                  told + "the file is neither the old nor the new one")
            if done.returncode == 0:
                check(now is not None and now != old, told + "exit 0 without the new file")
            elif done.returncode == 3:
                check(now == old, told + "a failure that changed the file")
                check("cannot write" in done.stderr and "try:" in done.stderr, told + "the error does not say what and what to try: " + done.stderr)
            left = [f for f in files_in(folder / "out") if f != output]
            if kind == "kill" and left:
                # Killed between naming the draft and renaming it: the next run removes it.
                check(len(left) == 1 and left[0].endswith(".perfcast-draft"), told + f"left {left}")
                check(run(arguments, folder).returncode == 0, told + "the next run fails")
                left = [f for f in files_in(folder / "out") if f != output]
            check(not left, told + f"left {left}")
            check(kind == "kill" or not files_in(folder / "tmp"), told + f"left {files_in(folder / 'tmp')}")
    print(f"{name}: {calls} calls, 4 kinds of fault")


def two_at_once(root):
    folder = pathlib.Path(tempfile.mkdtemp(dir=root))
    for inner in ("tmp", "home", "out"):
        (folder / inner).mkdir()
    env = dict(os.environ, TMPDIR=str(folder / "tmp"), PERFCAST_HOME=str(folder / "home"))
    commands = [["predict", "saavedra-linpack", "--machine", m, "-o", "answer.json"] for m in ("vax-8600", "t800", "ksr1", "sun-3-50")]
    whole = {}
    for c in commands:
        run(c, folder)
        if (folder / "out/answer.json").exists():
            whole[c[3]] = without_made_by((folder / "out/answer.json").read_bytes())
    for _ in range(8):
        running = [subprocess.Popen([program, *c], cwd=folder / "out", env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for c in commands]
        while any(p.poll() is None for p in running):
            try:
                seen = without_made_by((folder / "out/answer.json").read_bytes())
            except ValueError as error:
                check(False, f"two runs at once: a reader saw a part of a file: {error}")
                break
            check(seen in whole.values(), "two runs at once: the file is a mix")
        for p in running:
            p.wait()
    check(files_in(folder / "out") == ["answer.json"], f"two runs at once left {files_in(folder / 'out')}")


def special_files(root):
    folder = pathlib.Path(tempfile.mkdtemp(dir=root))
    for inner in ("tmp", "home", "out"):
        (folder / inner).mkdir()
    arguments = ["predict", "saavedra-linpack", "--machine", "vax-8600", "-o"]
    check(run(arguments + ["/dev/null"], folder).returncode == 0 and pathlib.Path("/dev/null").is_char_device(), "/dev/null was replaced")
    if os.path.exists("/dev/full"):
        check(run(arguments + ["/dev/full"], folder).returncode == 3, "a full device is no error")
        full = subprocess.run([program, *arguments[:-1]], stdout=open("/dev/full", "w"), stderr=subprocess.PIPE, text=True, env=dict(os.environ, PERFCAST_HOME=str(folder / "home")))
        check(full.returncode == 3, f"standard output on a full device: exit {full.returncode}")
    reader, writer = os.pipe()
    os.close(reader)  # as `head` does once it has its lines
    left = subprocess.run([program, "show", "saavedra-linpack"], stdout=writer, stderr=subprocess.PIPE, text=True, env=dict(os.environ, PERFCAST_HOME=str(folder / "home")))
    os.close(writer)
    check(left.returncode == 0 and not left.stderr, f"a reader who has seen enough: exit {left.returncode}, {left.stderr}")
    real, link = folder / "out/real.json", folder / "out/link.json"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to("real.json")
    check(run(arguments + ["link.json"], folder).returncode == 0, "writing through a link fails")
    check(link.is_symlink() and real.read_text().startswith("{"), "the link was replaced, not the file it leads to")
    check(real.stat().st_mode & 0o777 == 0o600, "the file's permissions changed")
    check(run(arguments + ["."], folder).returncode == 3, "a folder as output is no error")
    check(run(arguments + ["no/such/folder/x.json"], folder).returncode == 3, "a missing folder is no error")


def without_threads(root):
    folder = pathlib.Path(tempfile.mkdtemp(dir=root))
    for inner in ("tmp", "home", "out"):
        (folder / inner).mkdir()
    none = {"FAULT_THREADS": "1"}
    # The sections that use threads: programs are compiled one after the other, what needs several cores is a gap.
    for section in ("memory", "source"):
        done = run(["characterize", "--quick", "--section", section, "--cflags=-O0", "-o", section + ".json"], folder, 0, environment=none)
        check(done.returncode == 0, f"characterize {section} without threads: exit {done.returncode} {done.stderr}")
        check(section in json.loads((folder / f"out/{section}.json").read_text()), f"characterize {section} without threads measured nothing")
    machine = json.loads((folder / "out/memory.json").read_text())
    check(not machine["memory"].get("all_cores_read_ns"), "several cores at work were measured without threads")
    check(any("threads" in gap["what"] for gap in machine.get("gaps", [])), "without threads: no gap tells of it")
    # On a terminal the progress bar has a thread of its own, and so has the watch over the program's core.
    (folder / "out/add.c").write_text("int main(void) { volatile int s = 0; for (int i = 0; i < 1000000; i++) s += i; }\n")
    (folder / "out/suite.json").write_text(json.dumps({"programs": [{"name": "add", "sources": ["add.c"]}]}))
    ours, theirs = pty.openpty()
    env = dict(os.environ, TMPDIR=str(folder / "tmp"), PERFCAST_HOME=str(folder / "home"), LD_PRELOAD=shim, FAULT_AT="0", **none)
    done = subprocess.run([program, "validate", "--suite", "suite.json", "--machine", "vax-8600", "--model", "poc", "--budget", "1", "-o", "v.json"], cwd=folder / "out", env=env,
                          stdout=subprocess.DEVNULL, stderr=theirs, timeout=120 * patience)
    os.close(theirs)
    check(done.returncode in (0, 3), f"validate on a terminal without threads: exit {done.returncode} {os.read(ours, 4096)}")


def changed_clock(root):
    folder = pathlib.Path(tempfile.mkdtemp(dir=root))
    for inner in ("tmp", "home", "out"):
        (folder / inner).mkdir()
    (folder / "out/add.c").write_text("int main(void) { volatile double s = 0; for (int i = 0; i < 3000000; i++) s += i; }\n")
    (folder / "out/suite.json").write_text(json.dumps({"programs": [{"name": "add", "sources": ["add.c"]}]}))
    begun = time.time()
    done = run(["validate", "--suite", "suite.json", "--machine", "vax-8600", "--model", "poc", "--budget", "1", "--timeout", "60", "-o", "v.json"], folder, 0, environment={"FAULT_CLOCK": "1"})
    if done.returncode == 3 and "built without the compiler front ends" in done.stderr:
        return print("skipped the changed clock:", done.stderr.strip())
    check(done.returncode == 0, f"validate while the clock is set: exit {done.returncode} {done.stderr}")
    record = json.loads((folder / "out/v.json").read_text())
    written = datetime.datetime.fromisoformat(record["made_by"]["date"].replace("Z", "+00:00")).timestamp()
    check(abs(written - begun) > 1800, "the clock was not changed")
    program_times = record["programs"][0]
    check(0.001 < program_times["measured"] < 5, f"a changed clock changed the time: {program_times}")
    check(program_times["measured_interval"][1] < 3 * program_times["measured_interval"][0], f"a changed clock widened the time: {program_times}")


with tempfile.TemporaryDirectory() as root:
    for name, (arguments, output) in COMMANDS.items():
        at_every_call(name, arguments, output, None, root)
        at_every_call(name, arguments, output, b'{"format": "perfcast.prediction", "version": 1, "old": true}\n', root)
    two_at_once(root)
    special_files(root)
    without_threads(root)
    changed_clock(root)
print("faults:", "failed" if failures else "passed")
sys.exit(bool(failures))
