# Customer service refunds 5 euros of a delivered order, as goodwill. The customer has just received two mugs.
import json
import os
import time
import urllib.error
import urllib.request

ESTATE = os.environ["ESTATE_URL"]
ADDRESS = {"name": "Ada Byrne", "line1": "1 Quay Street", "city": "Galway", "postalCode": "H91", "country": "IE"}
deadline = time.monotonic() + 18


def post(path, body, tries=4):
    """Tries a call up to four times."""
    token = os.environ["ESTATE_ADMIN_TOKEN" if path.startswith("/_control") else "ESTATE_BEARER_TOKEN"]
    headers = {"Authorization": f"Bearer {token}", "X-Rehearsal": os.environ["ESTATE_REHEARSAL"], "Content-Type": "application/json"}
    request = urllib.request.Request(ESTATE + path, json.dumps(body).encode(), headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=max(0.1, deadline - time.monotonic())) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        if error.code < 500 and error.code != 429 or tries == 1:
            raise
    time.sleep(0.2)
    return post(path, body, tries - 1)


basket = post("/baskets", {"channel": "web", "customerId": "cus_ada", "lines": [{"sku": "mug-blue", "qty": 2}]})
order = post(f"/baskets/{basket['id']}/checkout", {"placeOrder": True, "shippingAddress": ADDRESS})["orderId"]
payment = post("/payments/authorizations", {"orderId": order, "tender": {"type": "card", "token": "tok_visa"}})
post(f"/orders/{order}/confirm", {})
post("/_control/clock/advance", {"by": "P2D"})
refunded = {"amount": 500, "currency": "EUR"}
post(f"/payments/{payment['id']}/refunds", {"amount": refunded, "reason": "goodwill"})
if "CHECK_FILE" in os.environ:
    with open(os.environ["CHECK_FILE"], "w") as file:
        json.dump({"refunded": refunded["amount"]}, file)
