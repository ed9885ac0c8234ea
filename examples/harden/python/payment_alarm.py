# A monitor collects each authorised payment, and warns when there is none for a while. One order is paid.
import base64
import hashlib
import hmac
import http.server
import json
import os
import sys
import threading
import urllib.request
import uuid

ADDRESS = {"name": "Ada Byrne", "line1": "1 Quay Street", "city": "Galway", "postalCode": "H91", "country": "IE"}
payments = {}


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        event_id, sent_at = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        signed = hmac.digest(secret, f"{event_id}.{sent_at}.".encode() + body, hashlib.sha256)
        genuine = "v1," + base64.b64encode(signed).decode() in self.headers["webhook-signature"].split()
        if genuine:
            payments[event_id] = json.loads(body)["data"]["object"]["authorizedAmount"]["amount"]
        self.send_response(204 if genuine else 401)
        self.end_headers()

    def log_message(self, *_):
        pass


def call(method, path, body):
    token = os.environ["ESTATE_ADMIN_TOKEN" if path.startswith("/_control") else "ESTATE_BEARER_TOKEN"]
    headers = {"Authorization": f"Bearer {token}", "X-Rehearsal": os.environ["ESTATE_REHEARSAL"]}
    headers |= {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    request = urllib.request.Request(os.environ["ESTATE_URL"] + path, json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=15) as response:
        return json.load(response)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
webhook = {"url": f"http://127.0.0.1:{server.server_port}/events", "types": ["payment-authorized"]}
secret = base64.b64decode(call("PUT", "/_control/webhooks/copy", webhook)["secret"][6:])
basket = call("POST", "/baskets", {"channel": "web", "customerId": "cus_ada", "lines": [{"sku": "mug-blue", "qty": 2}]})
order = call("POST", f"/baskets/{basket['id']}/checkout", {"placeOrder": True, "shippingAddress": ADDRESS})["orderId"]
call("POST", "/payments/authorizations", {"orderId": order, "tender": {"type": "card", "token": "tok_visa"}})
call("POST", "/_control/clock/advance", {"by": "P2D"})
if "CHECK_FILE" in os.environ:
    with open(os.environ["CHECK_FILE"], "w") as file:
        json.dump({"payments": list(payments.values())}, file)
sys.exit(0 if payments else 1)
