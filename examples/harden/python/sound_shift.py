# A shift of a shop sells two mugs and refunds 5 euros of them two days later. Then it adds up payments by tender, and the orders of its first day.
import collections
import datetime
import http.client
import json
import os
import time
import urllib.error
import urllib.request
import uuid

ADDRESS = {"name": "Ada Byrne", "line1": "1 Quay Street", "city": "Galway", "postalCode": "H91", "country": "IE"}
deadline = time.monotonic() + 18


def call(method, path, body=None):
    """Tries a call up to four times, with one key."""
    token = os.environ["ESTATE_ADMIN_TOKEN" if path.startswith("/_control") else "ESTATE_BEARER_TOKEN"]
    headers = {"Authorization": f"Bearer {token}", "X-Rehearsal": os.environ["ESTATE_REHEARSAL"]}
    headers |= {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["ESTATE_URL"] + path, data, headers, method=method)
    for attempt in range(4):
        try:
            with urllib.request.urlopen(request, timeout=max(0.1, deadline - time.monotonic())) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if attempt == 3 or (error.code < 500 and error.code != 429 and not json.load(error).get("retryable")):
                raise
        except (OSError, http.client.HTTPException):
            if attempt == 3:
                raise
        time.sleep(0.2 * 2**attempt)


def orders_between(start, end):
    cursor = ""
    while cursor is not None:
        query = f"limit=100&placedAfter={start}T00:00:00Z&placedBefore={end}T00:00:00Z"
        page = call("GET", f"/orders?{query}" + (f"&cursor={cursor}" if cursor else ""))
        yield from page["items"]
        cursor = page.get("nextCursor")


start = datetime.datetime.fromisoformat(call("GET", "/_control/clock")["now"]).astimezone(datetime.timezone.utc).date()
basket = call("POST", "/baskets", {"channel": "web", "customerId": "cus_ada", "lines": [{"sku": "mug-blue", "qty": 2}]})
call("POST", f"/baskets/{basket['id']}/checkout", {"shippingAddress": ADDRESS})
order = call("POST", "/orders", {"basketId": basket["id"]})["id"]
payment = call("POST", "/payments/authorizations", {"orderId": order, "tender": {"type": "card", "token": "tok_visa"}})
call("POST", f"/orders/{order}/confirm", {})
call("POST", "/_control/clock/advance", {"by": "P2D"})
call("POST", f"/payments/{payment['id']}/refunds", {"amount": {"amount": 500, "currency": "EUR"}, "reason": "goodwill"})
report = collections.Counter()
for paid in call("GET", f"/orders/{order}")["payments"]:
    report[paid["tender"]["type"]] += paid["capturedAmount"]["amount"]
total = sum(one["totals"]["total"]["amount"] for one in orders_between(start, start + datetime.timedelta(days=1)))
print(dict(report))
if "CHECK_FILE" in os.environ:
    with open(os.environ["CHECK_FILE"], "w") as file:
        json.dump({"refunded": 500, "paid": report.total(), "total": total}, file)
