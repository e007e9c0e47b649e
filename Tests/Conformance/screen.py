r"""Runs a command on a terminal, does what a script says, and shows what a person would see: screen.py COLUMNSxROWS SCRIPT COMMAND…

The script has a step a line:

    until TEXT       waits until the text is on the screen
    gone TEXT        waits until it is not
    show             prints the screen, without the empty lines at its end
    fits             prints how many lines were longer than the terminal, and wrapped by it, so far
    size 40x24       changes the size of the terminal
    keys y           types, and waits until keys have been read; \x03 is Ctrl-C, \x1a Ctrl-Z
    mode             prints whether the terminal hands on lines (cooked) or keys (raw), and whether its cursor is shown
    signal QUIT      sends a signal to the command
    stopped          waits until the command has been stopped
    do SCRIPT        runs a script for /bin/sh
    end              waits until the command has ended

It ends with the exit code of the command, in the way of shells. Before that it prints the screen, unless the script ends with `quiet`.
"""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unicodedata


class Screen:
    """As much of a terminal as Penstock uses. What it does not know is shown as ‹…›, so that a test sees it."""

    sequence = re.compile("\x1b\\[([?]?[0-9;]*)([A-Za-z])")

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines = [[]]
        self.row = self.column = 0
        self.top = 0
        self.rest = ""
        self.is_cursor_shown = True
        # Between the marks of a frame that is drawn at once: a terminal shows it when it is whole.
        self.is_drawing = False
        self.wrapped = 0

    def resize(self, columns, rows):
        """Wraps what is wider anew, as terminals do."""
        lines, row = [], 0
        for index, line in enumerate(self.lines):
            if index == self.row:
                row = len(lines)
            while True:
                lines.append(line[:columns])
                line = line[columns:]
                if not line:
                    break
        self.lines, self.row = lines, row
        self.columns, self.rows = columns, rows
        self.top = max(0, len(self.lines) - rows)
        self.row = max(self.row, self.top)

    def write(self, text):
        text = self.rest + text
        self.rest = ""
        at = 0
        while at < len(text):
            character = text[at]
            if character == "\x1b":
                found = self.sequence.match(text, at)
                if not found:
                    if len(text) - at < 16:
                        self.rest = text[at:]
                        return
                    self.put("‹ESC›")
                    at += 1
                    continue
                self.control(*found.groups())
                at = found.end()
                continue
            if character == "\r":
                self.column = 0
            elif character == "\n":
                self.line_feed()
            elif character >= " " and character != "\x7f" and not "\x80" <= character < "\xa0":
                self.put(character)
            else:
                self.put("‹%02x›" % ord(character))
            at += 1

    def control(self, argument, letter):
        count = int(argument) if argument.isdigit() else 1
        if letter == "A":
            self.row = max(self.top, self.row - count)
        elif letter == "K" and argument == "":
            del self.lines[self.row][self.column:]
        elif letter == "J" and argument == "":
            del self.lines[self.row][self.column:]
            del self.lines[self.row + 1:]
        elif argument == "?25":
            self.is_cursor_shown = letter == "h"
        elif argument == "?2026":
            self.is_drawing = letter == "h"
        elif letter == "m":
            pass
        else:
            self.put("‹ESC[%s%s›" % (argument, letter))

    def line_feed(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append([])
        self.top = max(self.top, len(self.lines) - self.rows)

    def put(self, character):
        width = 2 if unicodedata.east_asian_width(character[0]) in "WF" else 1
        if unicodedata.combining(character[0]):
            width = 0
        if self.column + width > self.columns:
            self.wrapped += 1
            self.column = 0
            self.line_feed()
        line = self.lines[self.row]
        while len(line) < self.column + width:
            line.append(" ")
        if width == 0:
            return
        line[self.column] = character
        if width == 2:
            line[self.column + 1] = ""
        self.column += width

    def text(self):
        lines = ["".join(line).rstrip() for line in self.lines[self.top:]]
        while lines and not lines[-1]:
            lines.pop()
        return "\n".join(lines)


size = tuple(map(int, sys.argv[1].split("x")))
steps = [line.strip().partition(" ") for line in open(sys.argv[2]) if line.strip()]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
screen = Screen(*size)
status = None
deadline = time.monotonic() + 30
decoder = codecs.getincrementaldecoder("utf-8")("replace")


def read(seconds):
    """What comes in that time; False at the end."""
    if not select.select([terminal], [], [], seconds)[0]:
        return True
    try:
        chunk = os.read(terminal, 1 << 16)
    except OSError:
        chunk = b""
    screen.write(decoder.decode(chunk))
    return bool(chunk)


def wait(what, is_true):
    while not is_true():
        # At the end of its output, a process has not ended yet.
        if not read(0.05):
            time.sleep(0.02)
        if time.monotonic() > deadline:
            print(f"gave up waiting: {what}; the screen is:\n{screen.text()}")
            os.kill(pid, signal.SIGKILL)
            sys.exit(99)


def are_keys_read():
    """Whether nothing typed waits to be read, where keys are read one by one."""
    if termios.tcgetattr(terminal)[3] & termios.ICANON:
        return True
    # TIOCGPTN, which Python does not name.
    number = struct.unpack("i", fcntl.ioctl(terminal, 0x80045430, b"\0" * 4))[0]
    try:
        keyboard = os.open(f"/dev/pts/{number}", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return True
    count = struct.unpack("i", fcntl.ioctl(keyboard, termios.FIONREAD, b"\0" * 4))[0]
    os.close(keyboard)
    return count == 0


def has_ended():
    global status
    if status is None:
        done, result = os.waitpid(pid, os.WNOHANG)
        if done:
            status = result
    return status is not None


is_quiet = False
for step, _, argument in steps:
    if step == "until":
        wait(f"until {argument}", lambda: not screen.is_drawing and argument in screen.text())
    elif step == "gone":
        wait(f"gone {argument}", lambda: not screen.is_drawing and argument not in screen.text())
    elif step == "show":
        print(screen.text())
        print("-")
    elif step == "fits":
        print(screen.wrapped, "wrapped")
    elif step == "size":
        columns, rows = map(int, argument.split("x"))
        # What was written for the former size is shown in it.
        while select.select([terminal], [], [], 0)[0] and read(0):
            pass
        screen.resize(columns, rows)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    elif step == "keys":
        os.write(terminal, argument.encode().decode("unicode_escape").encode("latin-1"))
        # They come to the other side a moment later.
        for _ in range(3):
            read(0.02)
            wait("keys", are_keys_read)
    elif step == "mode":
        flags = termios.tcgetattr(terminal)[3]
        cursor = "shown" if screen.is_cursor_shown else "hidden"
        print("cooked" if flags & termios.ICANON and flags & termios.ECHO else "raw", f"cursor {cursor}")
    elif step == "signal":
        os.kill(pid, getattr(signal, "SIG" + argument))
    elif step == "stopped":
        wait("stopped", lambda: os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG) is not None)
    elif step == "do":
        subprocess.run(["/bin/sh", "-c", argument], check=True)
    elif step == "end":
        wait("end", has_ended)
        while select.select([terminal], [], [], 0)[0] and read(0):
            pass
    elif step == "quiet":
        is_quiet = True
    else:
        sys.exit(f"there is no step '{step}'")
if status is None:
    while read(0.2) or not has_ended():
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            sys.exit("gave up waiting for the end")
        if has_ended() and not select.select([terminal], [], [], 0)[0]:
            break
if not is_quiet:
    print(screen.text())
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(status) if not os.WIFSIGNALED(status) else 128 + os.WTERMSIG(status))
