"""Types a line with TAB in it in an interactive shell, and waits for what comes of it: press_tab.py SHELL LINE EXPECTED."""
import os, pty, select, signal, sys, time

shell, line, expected = sys.argv[1:]
arguments = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"], "fish": ["fish", "--no-config", "-i"]}[shell]
setup = {
    "bash": "source ./completions.bash; PS1='> '; echo re''ady\n",
    "zsh": "autoload -U compinit; compinit -u -d ./dump; source ./completions.zsh; echo re''ady\n",
    "fish": "source ./completions.fish; echo re''ady\n",
}[shell]
with open(f"completions.{shell}", "w") as script:
    script.write(os.popen(f"penstock completions {shell}").read())
pid, terminal = pty.fork()
if pid == 0:
    os.environ["TERM"] = "dumb" if shell != "fish" else "xterm"
    os.execvp(arguments[0], arguments)
written = b""


def wait_for(text):
    global written
    end = time.monotonic() + 30
    while text.encode() not in written:
        if time.monotonic() > end:
            print(f"{shell}: gave up waiting for {text!r} after {written!r}")
            os.kill(pid, signal.SIGKILL)
            sys.exit(1)
        if select.select([terminal], [], [], 0.1)[0]:
            chunk = os.read(terminal, 65536)
            # fish asks the terminal what it is, and waits for the answer.
            if b"\x1b[c" in chunk or b"\x1b[0c" in chunk:
                os.write(terminal, b"\x1b[?62;c")
            written += chunk


os.write(terminal, setup.encode())
wait_for("ready")
written = b""
os.write(terminal, line.replace("TAB", "\t").encode() + b"\n")
wait_for(expected)
print(f"{shell}: {expected}")
os.kill(pid, signal.SIGKILL)
