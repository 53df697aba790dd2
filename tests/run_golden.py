#!/usr/bin/env python3
"""Runs the golden cases: tests/golden/ROOM/CASE/ with `cmd` (arguments of perfcast, one line, optional leading
`exit N:`), inputs beside it, and expected.txt and/or expected.json. With --update the expected files are rewritten;
the diff is the review. `made_by` is skipped in JSON. Numbers in JSON may differ by 1e-9 relative."""
import json, os, pathlib, re, shlex, subprocess, sys, tempfile

update = "--update" in sys.argv
program = os.path.abspath([a for a in sys.argv[1:] if not a.startswith("--")][0])
root = pathlib.Path(__file__).parent / "golden"


def same(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        keys = (set(a) | set(b)) - {"made_by"}
        return all(k in a and k in b and same(a[k], b[k]) for k in keys)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return a == b or abs(a - b) <= 1e-9 * max(abs(a), abs(b))
    return a == b


def without_made_by(text):
    value = json.loads(text)
    value.pop("made_by", None)
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def run(case):
    text = (case / "cmd").read_text().strip()
    match = re.match(r"exit (\d+): *(.*)", text, re.S)
    code, arguments = (int(match[1]), match[2]) if match else (0, text)
    done = subprocess.run([program, *shlex.split(arguments)], cwd=case, env=environment, capture_output=True, text=True, timeout=120 * int(os.environ.get("PERFCAST_TEST_PATIENCE", "1")))
    if done.returncode != code:
        return f"exit {done.returncode}, expected {code}\n{done.stderr}"
    output = done.stdout if code == 0 else done.stderr
    for name in ("expected.json", "expected.txt"):
        path = case / name
        if not path.exists():
            continue
        if update:
            path.write_text(without_made_by(output) if name.endswith("json") else output)
        elif name.endswith("json"):
            if not same(json.loads(output), json.loads(path.read_text())):
                return f"{name} differs:\n{output}"
        elif output != path.read_text():
            return f"{name} differs:\n{output}"
    return None


home = tempfile.TemporaryDirectory(prefix="perfcast-golden-")  # no machine of the user's is in reach
environment = dict(os.environ, PERFCAST_HOME=home.name)
cases = sorted(p.parent for p in root.rglob("cmd"))
failed = 0
for case in cases:
    problem = run(case)
    if problem:
        failed += 1
        print(f"FAILED {case.relative_to(root)}: {problem}")
print(f"{len(cases) - failed} passed, {failed} failed")
sys.exit(bool(failed))
