#!/usr/bin/env python3
"""A server on loopback for the cases in `http`: `serve` of prelude.sh starts it. Its address goes to the file `address`.

What was asked of it goes to the file `requests`: method and target, the fields that a case has set, the body, a line `--`.

/echo            what was asked, as JSON
/json /text      `{"b": 1, "a": [true, null]}`; a text in Latin-1
/bytes?n=N       N bytes that are no text
/status/N        the status N; ?after=N adds Retry-After, ?say=TEXT is the body
/pages/N         page N of three: `items`, and `next`, the address of the next one, which the last one lacks
/flaky/NAME      503, and from the second time on what /json gives; ?times=N: from the N+1st time on
/once            the first request loses its connection, later ones get what /json gives
/to?url=URL      302 to URL
/cookie          sets two cookies
/file            100000 bytes with a strong tag and ranges; ?stop=N: the first time, N bytes and then nothing more
/kept/NAME       what a PUT has sent there
/silent          nothing, ever
/held?until=F    what /json gives, once there is a file F
/events/NAME     server-sent events of the file NAME, from the one behind Last-Event-ID on; they stay open
"""

import hashlib
import json
import os
import re
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

SHOWN = ["authorization", "proxy-authorization", "content-type", "idempotency-key", "range", "if-range", "last-event-id",
         "penstock-signature"]
FILE = b"".join(b"%09d\n" % number for number in range(10000))
counts = {}
kept = {}
lock = threading.Lock()


def count(name):
    with lock:
        counts[name] = counts.get(name, 0) + 1
        return counts[name]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_any(self):
        length = int(self.headers.get("Content-Length", 0))
        if self.headers.get("Transfer-Encoding", "") == "chunked":
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(length)
        self.note(body)
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        name, _, rest = parts.path[1:].partition("/")
        answer = getattr(self, "at_" + name, None)
        if answer:
            answer(rest, query, body)
        else:
            self.answer(404, b"there is nothing here\n")

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_PURGE = handle_any

    def note(self, body):
        with lock, open("requests", "ab") as file:
            lines = [f"{self.command} {self.path}"]
            for name, value in self.headers.items():
                if name.lower() in SHOWN or name.lower().startswith("x-"):
                    lines.append(f"{name.lower()}: {value}")
            file.write("\n".join(lines).encode("latin-1") + b"\n")
            if body:
                file.write(body + (b"" if body.endswith(b"\n") else b"\n"))
            file.write(b"--\n")

    def at_echo(self, rest, query, body):
        echo = {"method": self.command, "target": self.path, "body": body.decode("utf-8", "replace")}
        echo["fields"] = {name.lower(): value for name, value in self.headers.items()}
        self.answer(200, json.dumps(echo).encode(), "application/json")

    def at_json(self, rest, query, body):
        self.answer(200, b'{"b": 1, "a": [true, null]}\n', "application/json; charset=utf-8")

    def at_text(self, rest, query, body):
        self.answer(200, "Grüße\n".encode("latin-1"), "text/plain; charset=iso-8859-1")

    def at_bytes(self, rest, query, body):
        self.answer(200, bytes([0xFF]) * int(query.get("n", 3)), "application/octet-stream")

    def at_status(self, rest, query, body):
        fields = {"Retry-After": query["after"]} if "after" in query else {}
        self.answer(int(rest), query.get("say", f"status {rest}").encode() + b"\n", **fields)

    def at_pages(self, rest, query, body):
        page = int(rest)
        answer = {"items": [2 * page - 1, 2 * page]}
        if page < 3:
            answer["next"] = f"http://{self.headers['Host']}/pages/{page + 1}"
        self.answer(200, json.dumps(answer).encode(), "application/json")

    def at_flaky(self, rest, query, body):
        if count(rest) <= int(query.get("times", 1)):
            fields = {"Retry-After": query["after"]} if "after" in query else {}
            self.answer(503, b"not now\n", **fields)
        else:
            self.at_json(rest, query, body)

    def at_once(self, rest, query, body):
        if count("once") == 1:
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"the beginning")
            self.close_connection = True
        else:
            self.at_json(rest, query, body)

    def at_to(self, rest, query, body):
        self.answer(302, b"", Location=query["url"])

    def at_cookie(self, rest, query, body):
        self.send_response(200)
        for name, value in [("Content-Length", "0"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("X-One", "1"), ("X-One", "2")]:
            self.send_header(name, value)
        self.end_headers()

    def at_file(self, rest, query, body):
        tag = '"' + hashlib.sha256(FILE).hexdigest()[:16] + '"'
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if wanted and self.headers.get("If-Range", tag) == tag and int(wanted[1]) < len(FILE):
            first = int(wanted[1])
            self.answer(206, FILE[first:], ETag=tag, **{"Content-Range": f"bytes {first}-{len(FILE) - 1}/{len(FILE)}"})
        elif "stop" in query and count("file") == 1:
            self.send_response(200)
            self.send_header("Content-Length", str(len(FILE)))
            self.send_header("ETag", tag)
            self.end_headers()
            self.wfile.write(FILE[: int(query["stop"])])
            self.wfile.flush()
            open("stopped", "w").close()
            time.sleep(3600)
        else:
            self.answer(200, FILE, ETag=tag)

    def at_kept(self, rest, query, body):
        if self.command == "PUT":
            kept[rest] = body
            self.answer(200, b"")
        elif rest in kept:
            self.answer(200, kept[rest], "application/octet-stream")
        else:
            self.answer(404, b"there is no such object\n")

    def at_silent(self, rest, query, body):
        time.sleep(3600)

    def at_held(self, rest, query, body):
        while not os.path.exists(query["until"]):
            time.sleep(0.02)
        self.at_json(rest, query, body)

    def at_events(self, rest, query, body):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        seen = int(self.headers.get("Last-Event-ID", 0))
        while True:
            events = [line.rstrip("\n") for line in open(rest)] if os.path.exists(rest) else []
            for number, text in enumerate(events[seen:], seen + 1):
                if text == "CUT":
                    # Said once, so that the next connection gets past it.
                    if count(f"{rest} {number}") == 1:
                        return
                    continue
                kind, _, data = text.partition(" ")
                self.wfile.write(f"id: {number}\nevent: {kind}\ndata: {data}\n\n".encode())
                self.wfile.flush()
            seen = max(seen, len(events))
            time.sleep(0.02)

    def answer(self, status, body, kind="text/plain", **fields):
        self.send_response(status)
        if status not in (204, 304) and status >= 200:
            fields = {"Content-Length": str(len(body)), "Content-Type": kind, **fields}
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD" and status not in (204, 304) and status >= 200:
            self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    # As many as any case has at a time: the kernel resets connections beyond that.
    request_queue_size = 128

    def handle_error(self, request, address):
        pass


def main():
    # At most as long as any case: nothing stays when the shell that began it was killed.
    threading.Timer(60, lambda: os._exit(1)).start()
    server = Server(("127.0.0.1", int(os.environ.get("LOOPBACK_PORT", 0))), Handler)
    scheme = "http"
    if len(sys.argv) > 1:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1])
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    with open("address.new", "w") as file:
        file.write(f"{scheme}://127.0.0.1:{server.server_port}")
    os.rename("address.new", "address")
    server.serve_forever()


main()
