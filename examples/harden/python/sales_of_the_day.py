# A shop sells a mug in its last hour, closes its tills half an hour later, and then adds up the orders of the day.
import json
import os
import urllib.request
import uuid

ADDRESS = {"name": "Ada Byrne", "line1": "1 Quay Street", "city": "Galway", "postalCode": "H91", "country": "IE"}


def call(method, path, body=None):
    token = os.environ["ESTATE_ADMIN_TOKEN" if path.startswith("/_control") else "ESTATE_BEARER_TOKEN"]
    headers = {"Authorization": f"Bearer {token}", "X-Rehearsal": os.environ["ESTATE_REHEARSAL"]}
    headers |= {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["ESTATE_URL"] + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=15) as response:
        return json.load(response)


basket = call("POST", "/baskets", {"channel": "web", "customerId": "cus_ada", "lines": [{"sku": "mug-blue", "qty": 1}]})
call("POST", f"/baskets/{basket['id']}/checkout", {"placeOrder": True, "shippingAddress": ADDRESS})
call("POST", "/_control/clock/advance", {"by": "PT30M"})
today = call("GET", "/_control/clock")["now"][:10]
cursor, total = "", 0
while cursor is not None:
    page = call("GET", f"/orders?limit=100&placedAfter={today}T00:00:00Z" + (f"&cursor={cursor}" if cursor else ""))
    total += sum(order["totals"]["total"]["amount"] for order in page["items"])
    cursor = page.get("nextCursor")
if "CHECK_FILE" in os.environ:
    with open(os.environ["CHECK_FILE"], "w") as file:
        json.dump({"total": total}, file)
