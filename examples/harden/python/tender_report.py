# A shop sells two mugs, and adds the order to its report of money by channel and tender.
import collections
import enum
import json
import os
import time
import urllib.request
import uuid

ADDRESS = {"name": "Ada Byrne", "line1": "1 Quay Street", "city": "Galway", "postalCode": "H91", "country": "IE"}


class Channel(enum.Enum):
    WEB = "web"
    APP = "app"
    POS = "pos"


class Tender(enum.Enum):
    CARD = "card"
    BNPL = "bnpl"
    CASH = "cash"
    GIFT_CARD = "gift-card"
    POINTS = "points"
    EXCHANGE_CREDIT = "exchange-credit"


def call(method, path, body=None):
    """Tries a call up to four times, with one key."""
    headers = {"Authorization": f"Bearer {os.environ['ESTATE_BEARER_TOKEN']}", "X-Rehearsal": os.environ["ESTATE_REHEARSAL"]}
    headers |= {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["ESTATE_URL"] + path, data, headers, method=method)
    for attempt in range(4):
        try:
            with urllib.request.urlopen(request, timeout=4) as response:
                return json.load(response)
        except OSError as error:
            status = getattr(error, "code", 503)
            if attempt == 3 or status < 500 and status != 429:
                raise
            time.sleep(0.2)


basket = call("POST", "/baskets", {"channel": "web", "customerId": "cus_ada", "lines": [{"sku": "mug-blue", "qty": 2}]})
order = call("POST", f"/baskets/{basket['id']}/checkout", {"placeOrder": True, "shippingAddress": ADDRESS})["orderId"]
call("POST", "/payments/authorizations", {"orderId": order, "tender": {"type": "card", "token": "tok_visa"}})
call("POST", f"/orders/{order}/confirm", {})
report = collections.Counter()
stored = call("GET", f"/orders/{order}")
for payment in stored["payments"]:
    tender = Tender(payment["tender"]["type"])
    report[f"{Channel(stored['channel']).value}, {tender.value}"] += payment["authorizedAmount"]["amount"]
if "CHECK_FILE" in os.environ:
    with open(os.environ["CHECK_FILE"], "w") as file:
        json.dump(report, file)
