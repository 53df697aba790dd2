#!/usr/bin/env python3
"""What the shells complete: completion.py PERFCAST. bash is asked directly, zsh on a terminal of its own; a shell that is not
here is left out, and 77 (skipped) is returned when neither is."""
import os, pathlib, pty, re, select, shutil, subprocess, sys, tempfile, time

program = os.path.abspath(sys.argv[1])
CASES = [("perfcast pre", "predict"), ("perfcast predict --mach", "--machine"), ("perfcast predict x --machine neo", "neoverse-v1"),
         ("perfcast machines show emer", "emerald-rapids"), ("perfcast analyze --targ", "--target"), ("perfcast predict x --model ict", None),
         ("perfcast predict x --model intc", "intcc")]


def bash(line, script, environment):
    words = line.split(" ")
    text = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; ' \
           'f=$(complete -p perfcast | sed "s/.*-F \\([^ ]*\\).*/\\1/"); $f perfcast "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", text, "bash", script, *words], env=environment, capture_output=True, text=True, timeout=60 * int(os.environ.get("PERFCAST_TEST_PATIENCE", "1")))
    return [w.strip() for w in done.stdout.split("\n") if w.strip()]


class Zsh:
    """One interactive shell; `complete` types a line and a tab, and returns what the line has become."""

    def __init__(self, folder, environment):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execvpe("zsh", ["zsh", "-f", "-i"], environment)
        self.say(f"PS1='> '; unsetopt beep zle_bracketed_paste; fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; echo LOA''DED:$_comps[perfcast]\n")
        self.loaded = self.until("LOADED:_perfcast", 30)

    def say(self, text):
        os.write(self.terminal, text.encode())

    def until(self, wanted, seconds):
        seen, end = "", time.monotonic() + seconds
        while time.monotonic() < end and wanted not in seen:
            if select.select([self.terminal], [], [], 0.2)[0]:
                seen += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", os.read(self.terminal, 65536).decode(errors="replace"))
        return seen

    def complete(self, line, wanted):
        self.say(line + "\t")
        seen = self.until(line.rsplit(" ", 1)[0] + " " + wanted, 20)
        self.say("\x15"), self.until("\0", 0.5)
        return seen

    def close(self):
        self.say("exit\n")
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


shells = [shell for shell in ("bash", "zsh") if shutil.which(shell)]
if not shells:
    print("skipped: neither bash nor zsh is here")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="perfcast-completion-") as folder:
    environment = dict(os.environ, PATH=os.path.dirname(program) + ":" + os.environ["PATH"], PERFCAST_HOME=folder + "/home", TERM="dumb", HOME=folder)
    for shell, name in (("bash", "perfcast"), ("zsh", "_perfcast")):
        pathlib.Path(folder, name).write_text(subprocess.run([program, "completion", shell], check=True, capture_output=True, text=True).stdout)
    for line, wanted in CASES:
        offered = bash(line, folder + "/perfcast", environment) if "bash" in shells else [wanted]
        assert (wanted in offered) if wanted else not offered, f"bash: {line!r} offers {offered}, not {wanted}"
    if "zsh" in shells:
        zsh = Zsh(folder, environment)
        assert "LOADED:_perfcast" in zsh.loaded, zsh.loaded
        for line, wanted in CASES:
            if wanted:
                seen = zsh.complete(line, wanted)
                assert line.rsplit(" ", 1)[0] + " " + wanted in seen, f"zsh: {line!r} becomes {seen!r}, not {wanted}"
        zsh.close()
print("completion works in " + " and ".join(shells))
