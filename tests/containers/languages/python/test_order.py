import os

import pytest
import requests
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy

IMAGE = os.environ.get("ESTATE_IMAGE", "unified-commerce-estate:local")
ADDRESS = {"name": "Ada", "line1": "1 Quay Street", "city": "Galway", "postalCode": "H91", "country": "IE"}


@pytest.fixture(scope="session")
def gateway():
    estate = DockerContainer(IMAGE).with_exposed_ports(8080).with_env("ALLOW_DEMO_CREDENTIALS", "true")
    with estate.waiting_for(HttpWaitStrategy(8080, "/readyz")):
        yield f"http://{estate.get_container_host_ip()}:{estate.get_exposed_port(8080)}"


class Rehearsal:
    """A freshly seeded world. Its bearer token reaches no other."""

    def __init__(self, gateway, name):
        self.gateway = gateway
        self.control_headers = {"Authorization": "Bearer demo-control-token", "X-Rehearsal": name}
        created = requests.post(f"{gateway}/_control/rehearsals", json={"name": name}, headers={"Authorization": "Bearer demo-control-token"})
        created.raise_for_status()
        self.buyer = {"Authorization": f"Bearer {created.json()['credentials']['bearer']}"}

    def api(self, method, path, body=None):
        answer = requests.request(method, f"{self.gateway}{path}", json=body, headers=self.buyer)
        assert answer.ok, answer.text
        return answer.json()

    def control(self, method, path, body=None):
        answer = requests.request(method, f"{self.gateway}/_control{path}", json=body, headers=self.control_headers)
        assert answer.ok, answer.text
        return answer.json() if answer.content else None


@pytest.fixture
def rehearsal(gateway, request):
    world = Rehearsal(gateway, request.node.name.replace("_", "-")[:40])
    yield world
    world.control("DELETE", f"/rehearsals/{world.control_headers['X-Rehearsal']}")


def test_a_paid_order_is_confirmed(rehearsal):
    lines = [{"sku": "mug-blue", "qty": 2}]
    basket = rehearsal.api("POST", "/baskets", {"channel": "web", "customerId": "cus_ada", "lines": lines})
    rehearsal.api("POST", f"/baskets/{basket['id']}/checkout", {"shippingAddress": ADDRESS})
    order = rehearsal.api("POST", "/orders", {"basketId": basket["id"]})
    rehearsal.api("POST", "/payments/authorizations", {"orderId": order["id"], "tender": {"type": "card", "token": "tok_visa"}})
    rehearsal.api("POST", f"/orders/{order['id']}/confirm", {})

    rehearsal.control("POST", "/clock/advance", {"by": "PT1H"})

    events = rehearsal.control("GET", f"/events?type=order-confirmed&subject=order/{order['id']}")
    assert len(events["items"]) == 1
    assert rehearsal.control("GET", "/verify")["holds"]


def test_a_checkout_continues_without_loyalty(rehearsal):
    fault = {"match": {"application": "loyalty-platform"}, "fault": {"kind": "outage"}}
    rehearsal.control("PUT", "/faults/no-points", fault)
    basket = rehearsal.api("POST", "/baskets", {"channel": "web", "customerId": "cus_ada", "lines": [{"sku": "mug-blue", "qty": 1}]})

    checkout = rehearsal.api("POST", f"/baskets/{basket['id']}/checkout", {"shippingAddress": ADDRESS})

    assert checkout["loyalty"]["status"] == "unavailable"
