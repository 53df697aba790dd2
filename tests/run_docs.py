#!/usr/bin/env python3
"""Runs the commands that the documentation shows: run_docs.py PERFCAST PAGE... [--all] [-v]

A command is a line "$ ..." in a fenced block; a trailing backslash continues it. Each page runs in its own scratch
folder, from top to bottom, with examples/ in reach and no saved machines. A command shall exit with 0, or with what a
comment at its end says ("# exits 1"). Blocks marked slow (```console slow) run with --all only.
"""
import os, pathlib, re, subprocess, sys, tempfile, time

root = pathlib.Path(__file__).resolve().parent.parent
words = [w for w in sys.argv[1:] if not w.startswith("-")]
patience = int(os.environ.get("PERFCAST_TEST_PATIENCE", "1"))  # times as long where sanitizers slow the program down
everything, verbose = "--all" in sys.argv, "-v" in sys.argv
program, pages = pathlib.Path(words[0]).resolve(), [pathlib.Path(p).resolve() for p in words[1:]]


def commands_in(text):
    """Yields (line number, command, exit code wanted)."""
    fenced = skipped = False
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        if line.startswith("```"):
            fenced, skipped = not fenced, "slow" in line.split()[1:] and not everything
        elif fenced and not skipped and line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command = command[:-1] + next(lines)[1]
            wanted = re.search(r"# exits (\d+)$", command)
            yield number, command, int(wanted[1]) if wanted else 0


def run(page):
    ran, problems = 0, []
    with tempfile.TemporaryDirectory(prefix="perfcast-docs-") as folder:
        os.symlink(root / "examples", pathlib.Path(folder) / "examples")
        os.symlink(root / "validation", pathlib.Path(folder) / "validation")
        bin_folder = pathlib.Path(folder) / ".bin"
        bin_folder.mkdir()
        os.symlink(program, bin_folder / "perfcast")
        environment = dict(os.environ, PATH=f"{bin_folder}:{os.environ['PATH']}", PERFCAST_HOME=folder + "/.home")
        for number, command, wanted in commands_in(page.read_text()):
            ran, began = ran + 1, time.time()
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300 * patience)
            if verbose:
                print(f"{time.time() - began:6.1f} s  {page.name}:{number}: {command}\n{done.stdout}")
            if done.returncode != wanted:
                problems.append(f"{page.name}:{number}: {command}\n  exit {done.returncode}, wanted {wanted}\n  {done.stderr.strip()}")
    return ran, problems


total, failed = 0, []
for page in pages:
    ran, problems = run(page)
    total, failed = total + ran, failed + problems
print("\n".join(failed + [f"{total - len(failed)} of {total} commands did what they should"]))
sys.exit(bool(failed))
