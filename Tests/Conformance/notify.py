"""Stands in for a service manager: `notify.py SOCKET FILE` makes the socket, and appends each line that it is sent to the file."""

import socket
import sys

with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver, open(sys.argv[2], "a", buffering=1) as told:
    receiver.bind(sys.argv[1])
    while True:
        for line in receiver.recv(65536).decode().splitlines():
            told.write(line + "\n")
