#!/usr/bin/env python3
"""A small server for examples/release-digest.yaml, on loopback only: `make run-http` starts it.

GET /releases.json   a feed of releases
GET /notes.txt       a text to download, with ranges and a strong tag
GET /events          a feed of the same releases as server-sent events, one a second, from behind Last-Event-ID on
POST /digests        takes a digest
POST /reports        takes a report of `notify`, and prints its text

With --flaky, of every three requests one is answered with 503 and Retry-After, and one loses its connection in the middle.
"""

import argparse
import hashlib
import json
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RELEASES = [
    {"tag": "v1.2.0", "notes": "Observes what others poll"},
    {"tag": "v1.1.0", "notes": "Goes on where it was"},
    {"tag": "v1.0.0", "notes": "Begins", "draft": True},
]
NOTES = "".join(f"{number}: what changed\n" for number in range(20000)).encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    flaky = False
    count = 0

    def do_GET(self):
        if self.stumbles():
            return
        if self.path.split("?")[0] == "/releases.json":
            self.answer(200, json.dumps(RELEASES).encode(), {"Content-Type": "application/json"})
        elif self.path == "/notes.txt":
            self.notes()
        elif self.path == "/events":
            self.events()
        else:
            self.answer(404, b"there is nothing here\n", {"Content-Type": "text/plain"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.stumbles():
            return
        if self.path == "/reports":
            print(json.loads(body)["text"], flush=True)
        self.answer(201, json.dumps({"bytes": len(body)}).encode(), {"Content-Type": "application/json"})

    def stumbles(self):
        Handler.count += 1
        if not self.flaky or Handler.count % 3 == 0:
            return False
        if Handler.count % 3 == 1:
            self.answer(503, b"not now\n", {"Content-Type": "text/plain", "Retry-After": "1"})
        else:
            # It begins like the answer that was to be.
            self.send_response(201 if self.command == "POST" else 200)
            self.send_header("Content-Length", "1000")
            self.send_header("Content-Type", "text/plain" if self.path == "/notes.txt" else "application/json")
            self.send_header("ETag", '"cut"')
            self.end_headers()
            self.wfile.write(b"the connection ends her")
            self.close_connection = True
        return True

    def notes(self):
        tag = f'"{hashlib.sha256(NOTES).hexdigest()[:16]}"'
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if wanted and self.headers.get("If-Range") == tag and int(wanted[1]) < len(NOTES):
            first = int(wanted[1])
            last = len(NOTES) - 1
            self.answer(206, NOTES[first:], {"ETag": tag, "Content-Range": f"bytes {first}-{last}/{len(NOTES)}"})
        else:
            self.answer(200, NOTES, {"ETag": tag, "Content-Type": "text/plain"})

    def events(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        seen = int(self.headers.get("Last-Event-ID") or 0)
        try:
            for number, release in list(enumerate(reversed(RELEASES), 1))[seen:]:
                self.wfile.write(f"id: {number}\nevent: release\ndata: {json.dumps(release)}\n\n".encode())
                self.wfile.flush()
                time.sleep(1)
            while True:
                # A comment now and then, so that nobody takes the connection for lost.
                self.wfile.write(b": nothing new\n\n")
                self.wfile.flush()
                time.sleep(15)
        except OSError:
            # Who listened has gone.
            self.close_connection = True

    def answer(self, status, body, fields):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **fields}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--flaky", action="store_true")
    arguments = parser.parse_args()
    Handler.flaky = arguments.flaky
    server = ThreadingHTTPServer(("127.0.0.1", arguments.port), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
