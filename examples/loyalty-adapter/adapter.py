"""Takes the place of the Loyalty Platform, in front of a provider of points. It stores nothing: the provider has accounts, movements and holds.

Usage: PORT=4000 PROVIDER_URL=http://127.0.0.1:4001 ESTATE_URL=http://127.0.0.1:8080 python3 adapter.py
"""
import hashlib
import hmac
import json
import os
import re
import threading
import urllib.error
import urllib.request
from collections import defaultdict
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, quote, unquote, urlsplit

PROVIDER = os.environ.get("PROVIDER_URL", "http://127.0.0.1:4001")
PROVIDER_KEY = os.environ.get("PROVIDER_KEY", "")
WEBHOOK_SECRET = os.environ.get("WEBHOOK_SECRET", "")
ESTATE = os.environ.get("ESTATE_URL", "http://127.0.0.1:8080")
ESTATE_TOKEN = os.environ.get("ESTATE_TOKEN", "demo-control-token")
CURRENCY = os.environ.get("CURRENCY", "EUR")
REDEMPTION_MINUTES = 15
# Members of our initial data that tests use: opened at the provider when a rehearsal first names them.
MEMBERS = json.loads((Path(__file__).parent / "members.json").read_text())

TIERS = {"basic": "bronze", "plus": "silver", "top": "gold"}
TYPES = {"purchase": "earn", "grant": "issue", "hold": "redeem", "release": "reverse", "clawback": "reverse"}
REFUSALS = {
    "unknown_account": (404, "not_found"),
    "unknown_hold": (404, "not_found"),
    "not_enough_points": (409, "insufficient_points"),
    "too_many_points": (409, "insufficient_points"),
    "hold_closed": (409, "redemption_not_applicable"),
    "alias_taken": (409, "already_enrolled"),
    "request_mismatch": (409, "conflicting_repeat"),
}


class Refusal(Exception):
    def __init__(self, status, code, detail, **members):
        super().__init__(detail)
        self.status, self.body = status, {"code": code, "detail": detail, **members}


def is_id(value):
    return isinstance(value, str) and len(value) <= 64 and re.fullmatch(r"\.*[A-Za-z0-9_-][A-Za-z0-9._-]*", value) is not None


def is_count(value):
    return type(value) is int and 1 <= value <= 999_999_999_999


FITS = {
    "points": lambda value: is_count(value) and value <= 999_999_999,
    "amount": lambda value: isinstance(value, dict) and is_count(value.get("amount")) and value.get("currency") == CURRENCY,
    "reason": lambda value: isinstance(value, str) and 1 <= len(value) <= 200,
    "cardNumber": lambda value: isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9._-]{4,32}", value) is not None,
    "purchase": lambda value: isinstance(value, dict) and all(map(is_id, value.values())),
}


def require_fit(body, *needed):
    """Refuses a body with all its mistakes: members that are missing or do not fit."""
    wrong = [name for name in needed if name not in body] + [name for name in body if not FITS.get(name, is_id)(body[name])]
    if wrong:
        errors = [{"pointer": f"/{name}", "code": "invalid", "detail": "Correct it."} for name in wrong]
        raise Refusal(422, "validation_failed", f"Correct {', '.join(wrong)}.", errors=errors)


def send(method, url, headers, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=4) as response:
            return json.loads(response.read() or "null")
    except urllib.error.HTTPError as error:
        answer = json.loads(error.read() or "{}")
        status, code = REFUSALS.get(answer.get("error"), (error.code if error.code < 500 else 502, answer.get("code", "dependency_error")))
        raise Refusal(status, code, answer.get("detail") or f"The provider answers {answer.get('error')}.") from error


def provider(job, path, body=None, once=None):
    """The rehearsal is part of each id, so that rehearsals never meet. `once` names the change: a repeat gets the first answer."""
    headers = {"Authorization": f"Bearer {PROVIDER_KEY}", "Booking-Date": job.now}
    if once:
        headers["Request-Id"] = f"{job.rehearsal}/{once}"
    return send("GET" if body is None else "POST", PROVIDER + path, headers, body)


def estate(job, path, body):
    return send("POST", ESTATE + path, {"Authorization": f"Bearer {ESTATE_TOKEN}", "X-Rehearsal": job.rehearsal}, body)


def path_of(job, member, rest=""):
    return f"/accounts/{quote(f'{job.rehearsal}/{member}', safe='')}{rest}"


def open_account(job, once, member_id, customer_id, card, **opening):
    aliases = [f"{job.rehearsal}/{alias}" for alias in (member_id, card, f"customer:{customer_id}")]
    memo = {"rehearsal": job.rehearsal, "id": member_id, "customerId": customer_id, "cardNumber": card}
    return provider(job, "/accounts", {"aliases": aliases, "memo": memo, **opening}, once)


def account_of(job, member):
    """The account by id or card number, after its expired holds are released."""
    try:
        account = provider(job, path_of(job, member))
    except Refusal as refusal:
        known = next((one for one in MEMBERS if member in (one["id"], one["cardNumber"], f"customer:{one['customerId']}")), None)
        if refusal.status != 404 or known is None:
            raise
        opening = {"opened": known["since"], "points": known["points"], "status_points": known["lifetimePoints"]}
        open_account(job, f"initial/{known['id']}", known["id"], known["customerId"], known["cardNumber"], **opening)
        account = provider(job, path_of(job, member))
    expired = [hold for hold in account["holds"] if ends_of(hold) <= job.now]
    for hold in expired:
        provider(job, f"/holds/{hold['number']}/release", {"memo": {"reference": hold["number"]}}, f"expire/{hold['number']}")
    return provider(job, path_of(job, member)) if expired else account


def ends_of(hold):
    ends = datetime.fromisoformat(hold["since"]) + timedelta(minutes=REDEMPTION_MINUTES)
    return ends.isoformat(timespec="milliseconds")[:23] + "Z"


def entry_of(movement):
    """The balance of the estate is never negative: the part below zero is a shortfall."""
    before, after = movement["before"], movement["after"]
    owed = max(-after, 0) - max(-before, 0)
    kind = TYPES.get(movement["kind"]) or ("issue" if movement["points"] > 0 else "reverse")
    entry = {"type": kind, "points": max(after, 0) - max(before, 0), "at": movement["booked"]}
    reference, reason = (movement["memo"].get(name) for name in ("reference", "reason"))
    entry |= {"orderId": movement["topic"] and movement["topic"].split("/")[1], "reference": reference, "reason": reason, "shortfall": owed or None}
    return {name: value for name, value in entry.items() if value is not None}


def member_of(account):
    following, total = account["next_level_at"], account["status_points"]
    member = {
        **{name: account["memo"][name] for name in ("id", "customerId", "cardNumber")},
        "version": account["revision"],
        "createdAt": account["opened"],
        "updatedAt": account["changed"],
        "pointsBalance": max(account["points"], 0),
        "lifetimePoints": total,
        "tier": TIERS[account["level"]],
        "entryCount": account["movement_count"],
        "entries": [entry_of(movement) for movement in account["movements"]],
    }
    if following:
        member |= {"nextTierThreshold": following, "pointsToNextTier": following - total}
    return member | ({"shortfall": -account["points"]} if account["points"] < 0 else {})


def redemption_of(hold):
    state = {"held": "open", "released": "returned"}.get(hold["status"]) or ("spent" if hold["returned"] < hold["captured"] else "returned")
    value = hold["points"] if state == "open" else hold["captured"]
    return {"id": hold["number"], "state": state, "value": {"amount": value, "currency": CURRENCY}}


def with_redemption(job, hold, **members):
    """The account and the redemption as they are, also for a repeat."""
    hold = hold_of(job, hold["number"])
    return {"account": member_of(provider(job, f"/accounts/{hold['account']}")), "redemption": redemption_of(hold), **members}


def hold_of(job, name):
    """By its number, or by `<rehearsal>/<payment>` once captured. Expired points are released first."""
    hold = provider(job, f"/holds/{quote(name, safe='')}")
    account = provider(job, f"/accounts/{hold['account']}")
    if account["memo"]["rehearsal"] != job.rehearsal:
        raise Refusal(404, "not_found", f'There is no redemption "{name}".')
    account_of(job, account["memo"]["id"])
    return provider(job, f"/holds/{hold['number']}")


def balance(job, member):
    return 200, member_of(account_of(job, member))


def ledger(job, member):
    limit, cursor = job.query.get("limit", "20"), job.query.get("cursor", "0")
    if not (limit.isascii() and limit.isdigit() and 1 <= int(limit) <= 100 and cursor.isascii() and cursor.isdigit()):
        raise Refusal(422, "validation_failed", "Send a limit from 1 to 100, and a cursor of an earlier answer.")
    account_of(job, member)
    page = provider(job, path_of(job, member, f"/movements?skip={cursor}&limit={limit}"))
    following = int(cursor) + int(limit)
    more = {"nextCursor": str(following)} if following < page["total"] else {}
    return 200, {"items": [entry_of(movement) for movement in page["movements"]], **more}


def put_member(job, customer):
    """Opens the one account of a customer. A repeat answers it; a card of another account is refused."""
    require_fit(job.body)
    unique = hashlib.sha256(f"{job.rehearsal}/{customer}".encode()).hexdigest()
    card = job.body.get("cardNumber")
    try:
        account = account_of(job, f"customer:{customer}")
    except Refusal as refusal:
        if refusal.status != 404:
            raise
        open_account(job, f"member/{job.key}", f"loy_{unique[:20]}", customer, card or f"77{int(unique[:12], 16) % 10**11:011}")
        account = account_of(job, f"loy_{unique[:20]}")
    if card not in (None, account["memo"]["cardNumber"]):
        raise Refusal(409, "already_enrolled", f'The customer "{customer}" has an account with another card.')
    return 200, member_of(account)


def redeem(job, member):
    require_fit(job.body, "points")
    if ("basketId" in job.body) == ("orderId" in job.body):
        raise Refusal(422, "validation_failed", "Send basketId or orderId.")
    hold = held(job, member, job.body.get("basketId"), None)
    return 200 if "replayed" in hold else 201, with_redemption(job, hold)


def held(job, member, basket, reference):
    """Holds points once per member and basket or order, otherwise once per reference."""
    owner, order = account_of(job, member)["memo"]["id"], job.body.get("orderId")
    memo = {"orderId": order, "basketId": basket, "reference": None if order else basket or reference}
    asked = {"points": job.body["points"], "topic": topic_of(job, order), "memo": memo}
    return provider(job, path_of(job, owner, "/holds"), asked, f"redeem/{owner}/{order or basket or f'entry/{reference}'}")


def issue(job, reference):
    owner = account_of(job, job.body["accountId"])["memo"]["id"]
    asked = {"kind": "grant", "points": job.body["points"], "memo": {"reference": reference, "reason": job.body.get("reason")}}
    granted = provider(job, path_of(job, owner, "/movements"), asked, f"issue/{owner}/{reference}")
    return {"account": member_of(account_of(job, owner)), "repeated": "replayed" in granted}


def redeem_for_payment(job, reference):
    hold = held(job, job.body["accountId"], None, reference)
    return with_redemption(job, hold, repeated="replayed" in hold)


def spend(job, reference):
    hold = hold_of(job, job.body["redemptionId"])
    require_applicable(job, hold)
    return settled(job, hold, "capture", reference, reference=f"{job.rehearsal}/{reference}")


def reverse(job, reference):
    hold = hold_of(job, f"{job.rehearsal}/{job.body.get('paymentId', reference)}")
    return settled(job, hold, "return", reference)


def settled(job, hold, verb, entry, **members):
    asked = {"points": job.body.get("amount", {}).get("amount"), "memo": {"reference": entry}, **members}
    provider(job, f"/holds/{hold['number']}/{verb}", asked, f"{verb}/{entry}")
    return with_redemption(job, hold)


# The function of each type of entry, and the members that its body must have.
ENTRIES = {
    "issue": (issue, "accountId", "points"),
    "redeem": (redeem_for_payment, "accountId", "points"),
    "spend": (spend, "redemptionId"),
    "reverse": (reverse,),
}


def put_entry(job, kind, reference):
    if kind not in ENTRIES:
        raise Refusal(422, "validation_failed", f'Send {", ".join(ENTRIES)} instead of "{kind}".')
    handle, *needed = ENTRIES[kind]
    require_fit(job.body, *needed)
    return 200, handle(job, reference)


def require_applicable(job, hold):
    """A redemption pays only for the basket or order that it names, and only for its member."""
    memo, purchase = hold["memo"], job.body.get("purchase", {})
    member = provider(job, f"/accounts/{hold['account']}")["memo"]
    paid = all(memo[name] in (None, of.get(name)) for name, of in (("orderId", job.body), ("basketId", purchase)))
    owner = purchase.get("customerId", member["customerId"])
    account = purchase.get("loyaltyAccountId", member["id"])
    if not paid or owner != member["customerId"] or account not in (member["id"], member["cardNumber"]):
        raise Refusal(409, "redemption_not_applicable", f'The redemption "{hold["number"]}" is for another purchase.')


def earning_of(job, order):
    """What the order earns, read with the token of this call. An event has no token, so the control token is used."""
    path, body = "/_control/calls/get-order-earning", {"params": {"id": order}}
    if job.call:
        return send("POST", ESTATE + path, {"X-Estate-Call": job.call}, body)
    return estate(job, path, {**body, "application": "loyalty-platform"})


def topic_of(job, order):
    return order and f"{job.rehearsal}/{order}"


def points_booked(job, order):
    """What an order has moved: its purchase, and what refunds took back."""
    movements = provider(job, f"/movements?topic={quote(topic_of(job, order), safe='')}")["movements"]
    return [one for one in movements if one["kind"] in ("purchase", "clawback")]


def book(job, order, member):
    """Books the points of a completed order once. @returns the answer of the provider, unless the order has no points"""
    points = order.get("earningAmount", {}).get("amount", 0) // 100
    if order["state"] == "cancelled" or not member or points < 1:
        return None
    owner = account_of(job, member)["memo"]["id"]
    asked = {"kind": "purchase", "points": points, "topic": topic_of(job, order["id"])}
    return provider(job, path_of(job, owner, "/movements"), asked, f"earn/{order['id']}")


def earn(job, member):
    require_fit(job.body, "orderId", "amount")
    names = {account_of(job, member)["memo"][name] for name in ("id", "cardNumber")}
    order = earning_of(job, job.body["orderId"])
    if order["state"] == "cancelled" or "earningAmount" not in order:
        about = {"objectType": "order", "id": order["id"], "currentState": order["state"]}
        raise Refusal(409, "invalid_state_transition", f"The order is {order['state']}.", **about)
    if order.get("loyaltyAccountId", member) not in names:
        raise Refusal(422, "validation_failed", "The order belongs to another member.")
    if order["earningAmount"] != job.body["amount"]:
        raise Refusal(422, "validation_failed", f"The order earns points for {order['earningAmount']['amount']} minor units.")
    booked = book(job, order, member)
    return 200 if booked and "replayed" in booked else 201, member_of(account_of(job, member))


turns = defaultdict(threading.Lock)


def take_back(job, payment):
    """Takes points back for refunds after the order has earned them: a point per full 1.00 that is not refunded remains."""
    refunds = [(f"{payment['id']}.refund-{at}", one) for at, one in enumerate(payment["refunds"], 1) if one["state"] == "succeeded"]
    refunds += [(one["id"], one) for one in payment.get("disputes", []) if one["state"] == "lost"]
    if payment["tender"]["type"] in ("loyalty", "exchange-credit") or not refunds:
        return None
    order = earning_of(job, payment["orderId"])
    with turns[job.rehearsal, order["id"]]:
        book(job, order, order.get("loyaltyAccountId"))
        booked = points_booked(job, order["id"])
        earlier = [*order.get("earningRefunds", []), *(one["memo"].get("reference") for one in booked)]
        for reference, refund in refunds if booked else []:
            if reference in earlier:
                continue
            refunded = refund["amount"]["amount"] + sum(one["memo"].get("amount", 0) for one in booked)
            points = max(order["earningAmount"]["amount"] - refunded, 0) // 100 - sum(one["points"] for one in booked)
            asked = {"kind": "clawback", "points": points, "topic": topic_of(job, order["id"])}
            asked["memo"] = {"reference": reference, "amount": refund["amount"]["amount"]}
            provider(job, f"/accounts/{booked[0]['account']}/movements", asked, f"take-back/{reference}")
            booked.append(asked)
    return booked[0]["account"] if booked else None


def receive(job):
    """An event changes points without a call of the estate, so the account is reported. A failed report repeats the event."""
    kind, about = job.body["type"], job.body["data"]["object"]
    if kind.endswith("order-changed"):
        booked = book(job, about, about.get("loyaltyAccountId"))
        report(job, booked and booked["number"])
    if kind.endswith("payment-changed"):
        report(job, take_back(job, about))
    return 204, None


def report(job, number):
    if number:
        account = provider(job, f"/accounts/{number}")
        estate(job, "/_control/events", {"object": "loyalty-account", "data": member_of(account)})


def changed(job):
    """The service desk of the provider has changed points. Unless the estate accepts the report, the provider sends the webhook again."""
    expected = hmac.new(WEBHOOK_SECRET.encode(), job.text, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), job.signature.encode()):
        raise Refusal(401, "unauthenticated", "Sign the webhook.")
    if "account" not in job.body:  # A provider sends webhooks about other things too.
        return 204, None
    job.now = ""
    job.rehearsal = provider(job, f"/accounts/{job.body['account']}")["memo"]["rehearsal"]
    report(job, job.body["account"])
    return 204, None


ROUTES = [
    ("GET", r"/members/([^/]+)/balance", balance),
    ("GET", r"/members/([^/]+)/ledger", ledger),
    ("POST", r"/members/([^/]+)/earn", earn),
    ("POST", r"/members/([^/]+)/redeem", redeem),
    ("PUT", r"/internal/ledger-entries/([^/]+)/([^/]+)", put_entry),
    ("PUT", r"/internal/members/([^/]+)", put_member),
    ("POST", r"/events", receive),
    ("POST", r"/webhook", changed),
]


def job_of(handler, text, query):
    header = handler.headers.get
    body = json.loads(text or "{}")
    if not isinstance(body, dict):
        raise ValueError("Send a JSON object.")
    names = {"rehearsal": "X-Rehearsal", "now": "X-Rehearsal-Now", "key": "Idempotency-Key", "call": "X-Estate-Call"}
    signature = header("Signature", "")
    return SimpleNamespace(**{name: header(of) for name, of in names.items()}, body=body, text=text, query=query, signature=signature)


class Adapter(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body leave in one packet

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
        try:
            for method, pattern, handle in ROUTES:
                found = re.fullmatch(pattern, url.path)
                if found and method == self.command:
                    return self.respond(*handle(job_of(self, text, query), *map(unquote, found.groups())))
            self.respond(501, {"code": "not_offered", "detail": f"The adapter does not offer {self.command} {url.path}."})
        except Refusal as refusal:
            self.respond(refusal.status, refusal.body)
        except ValueError as error:
            self.respond(400, {"code": "malformed_request", "detail": str(error)})
        except OSError as error:
            self.respond(502, {"code": "dependency_error", "detail": str(error)})

    do_GET = do_PUT = do_POST

    def respond(self, status, body):
        text = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if status < 400 else "application/problem+json")
        if status != 204:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer.request_queue_size = 128
    server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "4000"))), Adapter)
    print(f"The adapter listens on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
