#!/usr/bin/env python3
"""Installs a build into a scratch folder and uses it from elsewhere: installed.py CMAKE BUILD"""
import os, pathlib, subprocess, sys, tempfile

cmake, build = sys.argv[1:3]
with tempfile.TemporaryDirectory(prefix="perfcast-installed-") as folder:
    prefix = pathlib.Path(folder) / "some where"
    subprocess.run([cmake, "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    program = prefix / "bin" / "perfcast"
    environment = {"PATH": os.environ["PATH"], "HOME": folder}

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
    for path in ("share/man/man1/perfcast.1", "share/bash-completion/completions/perfcast", "share/zsh/vendor-completions/_perfcast"):
        assert (prefix / path).stat().st_size > 1000, path
    subprocess.run(["bash", "-n", prefix / "share/bash-completion/completions/perfcast"], check=True)
print("an installed tree works")
