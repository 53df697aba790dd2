#!/usr/bin/env python3
"""Installs a build into a scratch folder and uses it from elsewhere: installed.py CMAKE BUILD [llvm]"""
import json, os, pathlib, subprocess, sys, tempfile

cmake, build, llvm = sys.argv[1], sys.argv[2], sys.argv[3:] == ["llvm"]
with tempfile.TemporaryDirectory(prefix="perfcast-installed-") as folder:
    prefix = pathlib.Path(folder) / "some where"
    subprocess.run([cmake, "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    program = prefix / "bin" / "perfcast"
    environment = {"PATH": os.environ["PATH"], "HOME": folder}
    environment |= {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}  # what sanitizers pass over

    def run(*words, code=0):
        done = subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == code, f"{words}: exit {done.returncode}\n{done.stderr}"
        return done.stdout

    listed = run("machines", "list", "--format", "json")
    assert str(prefix) in listed and "vax-11-780" in listed, "the bundled machines come from elsewhere:\n" + listed
    run("predict", "saavedra-linpack", "--machine", "vax-11-780")
    assert "perfcast gate" in run("help", "gate")
    if (prefix / "share/perfcast/page/report.html").exists():
        run("report", "vax-11-780", "-o", "report.html")
    if llvm:
        (pathlib.Path(folder) / "tiny.c").write_text(
            "#include <stdio.h>\nint main(void) { double s = 0; for (int i = 1; i < 100000; i++) s += 1.0 / i; printf(\"%g\\n\", s); }\n")
        run("analyze", "tiny.c", "--cflags", "-O2", "-o", "tiny.json")
        answer = run("predict", "tiny.json", "--machine", "emerald-rapids", "--machine", "neoverse-v1", "--format", "json")
        assert len(json.loads(answer)["predictions"]) == 2, answer
    for path in ("share/man/man1/perfcast.1", "share/bash-completion/completions/perfcast", "share/zsh/vendor-completions/_perfcast"):
        assert (prefix / path).stat().st_size > 1000, path
    subprocess.run(["bash", "-n", prefix / "share/bash-completion/completions/perfcast"], check=True)
print("an installed tree works")
