"""Runs a command on a terminal of so many columns, and prints what it writes there: terminal.py COLUMNS COMMAND…"""

import fcntl
import os
import pty
import struct
import sys
import termios

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
written = b""
while True:
    try:
        # At the end Linux reports an error.
        chunk = os.read(terminal, 1 << 16)
    except OSError:
        chunk = b""
    if not chunk:
        break
    written += chunk
sys.stdout.buffer.write(written.replace(b"\r\n", b"\n"))
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
