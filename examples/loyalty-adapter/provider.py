"""A small provider of points, to try the adapter with: accounts, movements, holds and a service desk. It keeps everything in memory.

A change has a Request-Id: a repeat gets the first answer. Debits may take an account below zero, holds may not.
Usage: PORT=4001 WEBHOOK_URL=http://127.0.0.1:4000/webhook WEBHOOK_SECRET=secret python3 provider.py
"""
import hashlib
import hmac
import json
import os
import threading
import time
import urllib.request
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

LEVELS = [("basic", 0), ("plus", 1_000), ("top", 5_000)]
STATUS_KINDS = ("purchase", "grant", "clawback")
ERRORS = {"unknown_account": 404, "unknown_hold": 404, "unknown_path": 404}

accounts, holds, movements, answers = {}, {}, [], {}
numbers = {"account": 700_000, "hold": 0}
lock = threading.Lock()


class Refused(Exception):
    pass


def found(table, key, error):
    if key not in table:
        raise Refused(error)
    return table[key]


def seen(account):
    """The account in an answer: level, newest 20 movements and unsettled holds."""
    level = [name for name, start in LEVELS if account["status_points"] >= start][-1:] or ["basic"]
    following = [start for _, start in LEVELS if account["status_points"] < start]
    open_holds = [hold for hold in holds.values() if hold["account"] == account["number"] and hold["status"] == "held"]
    newest = {"movements": account["movements"][-20:], "movement_count": len(account["movements"]), "holds": open_holds}
    return {**account, **newest, "level": level[0], "next_level_at": following[0] if following else None}


def move(account, kind, points, at, topic=None, memo=None):
    before = account["points"]
    account["points"] += points
    account["status_points"] = max(account["status_points"] + (points if kind in STATUS_KINDS else 0), 0)
    account["revision"] += 1
    account["changed"] = max(at, account["changed"])
    movement = {"account": account["number"], "kind": kind, "points": points, "before": before, "after": account["points"]}
    account["movements"].append({**movement, "booked": at, "topic": topic, "memo": memo or {}})
    movements.append(account["movements"][-1])


def open_account(at, aliases, memo, points=0, status_points=0):
    if any(alias in accounts for alias in aliases):
        raise Refused("alias_taken")
    numbers["account"] += 1
    account = {"number": str(numbers["account"]), "aliases": aliases, "memo": memo, "points": 0, "status_points": 0, "revision": 0}
    account.update(opened=at, changed=at, movements=[])
    accounts.update({alias: account for alias in [account["number"], *aliases]})
    if points:
        move(account, "grant", points, at, memo={"note": "opening balance"})
    account["status_points"] = status_points
    return account


def hold_points(at, alias, points, memo, topic=None):
    account = found(accounts, alias, "unknown_account")
    if points > account["points"]:
        raise Refused("not_enough_points")
    numbers["hold"] += 1
    hold = {"number": f"H{numbers['hold']:06}", "account": account["number"], "points": points, "captured": 0, "returned": 0}
    hold.update(status="held", since=at, memo=memo)
    holds[hold["number"]] = hold
    move(account, "hold", -points, at, topic, memo)
    return hold


def settle_hold(at, name, verb, points=None, reference=None, memo=None):
    """Captures a held part and releases the rest, releases all, or returns captured points."""
    hold = found(holds, name, "unknown_hold")
    if hold["status"] != ("captured" if verb == "return" else "held"):
        raise Refused("hold_closed")
    most = hold["captured"] - hold["returned"] if verb == "return" else hold["points"]
    points = {"release": 0}.get(verb, most if points is None else points)
    if points > most:
        raise Refused("too_many_points")
    if verb == "return":
        hold["returned"] += points
        back = points
    else:
        hold.update(status="captured" if verb == "capture" else "released", captured=points)
        back = hold["points"] - points
        if reference:
            holds[reference] = hold
    if back:
        move(accounts[hold["account"]], "release", back, at, memo=memo)
    return hold


def change(parts, body, at):
    match parts:
        case ["accounts"]:
            return open_account(body.pop("opened", at), **body)
        case ["accounts", alias, "movements"]:
            account = found(accounts, alias, "unknown_account")
            move(account, at=at, **body)
            return account
        case ["accounts", alias, "holds"]:
            return hold_points(at, alias, **body)
        case ["holds", name, ("capture" | "release" | "return") as verb]:
            return settle_hold(at, name, verb, **body)
        case ["desk", alias, "corrections"]:
            account = found(accounts, alias, "unknown_account")
            move(account, "correction", body["points"], max(at, account["changed"]), memo={"reason": body["note"]})
            threading.Thread(target=notify, args=(account["number"],), daemon=True).start()
            return account
    raise Refused("unknown_path")


def read(parts, query):
    match parts:
        case ["accounts", alias]:
            return seen(found(accounts, alias, "unknown_account"))
        case ["accounts", alias, "movements"]:
            whole, start = found(accounts, alias, "unknown_account")["movements"], int(query["skip"])
            return {"movements": whole[start : start + int(query["limit"])], "total": len(whole)}
        case ["movements"]:
            return {"movements": [one for one in movements if one["topic"] == query["topic"]]}
        case ["holds", name]:
            return found(holds, name, "unknown_hold")
    raise Refused("unknown_path")


def notify(number):
    """Sends a signed webhook until it is accepted."""
    text = json.dumps({"account": number}).encode()
    signature = hmac.new(os.environ.get("WEBHOOK_SECRET", "").encode(), text, hashlib.sha256).hexdigest()
    for pause in [0.2] * 50 + [5] * 100:
        try:
            request = urllib.request.Request(os.environ["WEBHOOK_URL"], text, {"Content-Type": "application/json", "Signature": signature})
            return urllib.request.urlopen(request, timeout=5).close()
        except OSError:
            time.sleep(pause)


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        self.respond(lambda parts: (200, read(parts, query)))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
        key, at = self.headers.get("Request-Id"), self.headers.get("Booking-Date")
        self.respond(lambda parts: self.once(key, parts, body, at or datetime.now(timezone.utc).isoformat(timespec="milliseconds")[:23] + "Z"))

    def once(self, key, parts, body, at):
        asked = json.dumps([parts, body], sort_keys=True)
        earlier_asked, earlier = answers.get(key, (asked, None))
        if earlier_asked != asked:
            raise Refused("request_mismatch")
        if earlier:
            return 200, {**earlier, "replayed": True}
        answer = json.loads(json.dumps(change(parts, body, at)))
        if key:
            answers[key] = (asked, answer)
        return 201, answer

    def respond(self, act):
        try:
            with lock:
                status, answer = act([unquote(part) for part in urlsplit(self.path).path.split("/")[1:]])
                text = json.dumps(answer).encode()
        except Refused as refused:
            status, text = ERRORS.get(str(refused), 409), json.dumps({"error": str(refused)}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer.request_queue_size = 128
    server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "4001"))), Provider)
    print(f"The provider listens on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
