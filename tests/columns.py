#!/usr/bin/env python3
"""Text views keep to 100 columns: columns.py PERFCAST

Every golden case that shows text to people is run again, and every bundled machine, comparison and help page is shown;
no line is wider than 100 columns, none holds an escape sequence (this is no terminal), and tables are still aligned.
What other programs read (JSON, CSV, Markdown, dot) is left out.
"""
import json, os, pathlib, shlex, subprocess, sys, tempfile

program = os.path.abspath(sys.argv[1])
golden = pathlib.Path(__file__).resolve().parent / "golden"
limit = 100


def for_people(words):
    return "json" not in words and "markdown" not in words and "dot" not in words and words[0] not in ("export", "completion")


commands = []  # (folder, words)
for case in sorted(p.parent for p in golden.rglob("cmd")):
    text = (case / "cmd").read_text().strip()
    words = shlex.split(text)
    if not text.startswith("exit ") and for_people(words):
        commands.append((case, words))

with tempfile.TemporaryDirectory(prefix="perfcast-columns-") as folder:
    environment = dict(os.environ, PERFCAST_HOME=folder)

    def run(words, cwd):
        return subprocess.run([program, *words], cwd=cwd, env=environment, capture_output=True, text=True, timeout=120 * int(os.environ.get("PERFCAST_TEST_PATIENCE", "1")))

    machines = [m["name"] for m in json.loads(run(["machines", "list", "--format", "json"], folder).stdout)["machines"]]
    commands += [(folder, ["machines", "show", name]) for name in machines]
    commands += [(folder, ["machines", "list"]), (folder, ["machines", "compare", *machines]), (folder, ["help"])]
    commands += [(folder, ["machines", "compare", "vax-11-780", "cray-x-mp-48", "--profile", "saavedra-linpack", "--profile", "saavedra-shell"])]
    commands += [(folder, ["choose", "saavedra-linpack", "saavedra-shell", *[w for m in machines if m.startswith(("vax", "cray", "sun", "ibm")) for w in ("--machine", m, "--price", m + "=3")]])]
    docs = pathlib.Path(__file__).resolve().parent.parent / "docs"
    commands += [(folder, ["help", page.stem]) for page in sorted(docs.glob("*.md"))]

    problems = []
    for cwd, words in commands:
        done = run(words, cwd)
        if done.returncode not in (0, 1):
            problems.append(f"{shlex.join(words)}: exit {done.returncode}\n{done.stderr}")
        wide = [line for line in done.stdout.splitlines() if len(line) > limit]
        if words[0] == "help":  # commands and addresses in a page stay in one piece
            wide = [line for line in wide if " " in line.strip()]
        if wide:
            problems.append(f"perfcast {shlex.join(words)}: {len(wide)} lines of up to {max(map(len, wide))} columns:\n  {wide[0]}")
        if "\x1b" in done.stdout + done.stderr:
            problems.append(f"perfcast {shlex.join(words)}: colour without a terminal")

print("\n".join(problems + [f"{len(commands) - len(problems)} of {len(commands)} views keep to {limit} columns"]))
sys.exit(bool(problems))
