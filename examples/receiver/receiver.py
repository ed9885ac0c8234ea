"""A receiver of events: verifies the signature, answers 204, and prints what came.

    pip install -r requirements.txt
    ESTATE_WEBHOOK_SECRET=whsec_… python receiver.py 3000
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["ESTATE_WEBHOOK_SECRET"])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            webhook.verify(body, headers)
        except WebhookVerificationError as error:
            self.answer(401, str(error).encode())
            return
        event = json.loads(body)
        print("received", event["type"], event["subject"], flush=True)
        self.answer(204)

    def answer(self, status, body=b""):
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer((os.environ.get("HOST", "127.0.0.1"), int(sys.argv[1])), Receiver)
    print("listening", flush=True)
    server.serve_forever()
