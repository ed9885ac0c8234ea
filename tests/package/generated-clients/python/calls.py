"""Places an order with the client of openapi-python-client and with the client of openapi-generator."""

import os

from generated import AuthenticatedClient
from generated.api.e_commerce_platform import checkout_basket_api, create_basket_api
from generated.api.oms import confirm_order_api
from generated.api.payment_hub import authorize_payment_api
from generated.models import AuthorizePaymentBody, CheckoutBasketBody, CreateBasketBody
from openapi_client import ApiClient, Configuration
from openapi_client import models
from openapi_client.api.e_commerce_platform_api import ECommercePlatformApi
from openapi_client.api.oms_api import OMSApi
from openapi_client.api.payment_hub_api import PaymentHubApi
from openapi_client.exceptions import ConflictException

token = os.environ["ESTATE_BEARER_TOKEN"]
basket = {"channel": "web", "lines": [{"sku": "mug-blue", "qty": 2}]}
address = {"name": "Ada Byrne", "line1": "1 Quay Street", "city": "Galway", "postalCode": "H91", "country": "IE"}
checkout = {"placeOrder": True, "shippingAddress": address}
tender = {"type": "card", "token": "tok_visa"}

with AuthenticatedClient(base_url=os.environ["ESTATE_URL"], token=token) as client:
    opened = create_basket_api.sync(client=client, body=CreateBasketBody.from_dict(basket))
    order = checkout_basket_api.sync(opened.id, client=client, body=CheckoutBasketBody.from_dict(checkout)).order_id
    print("openapi-python-client", confirm_order_api.sync(order, client=client).code)
    payment = AuthorizePaymentBody.from_dict({"orderId": order, "tender": tender})
    authorize_payment_api.sync(client=client, body=payment)
    print("openapi-python-client", confirm_order_api.sync(order, client=client).state)

with ApiClient(Configuration(access_token=token)) as client:
    shop = ECommercePlatformApi(client)
    orders = OMSApi(client)
    opened = shop.create_basket_api(models.CreateBasketBody.from_dict(basket))
    order = shop.checkout_basket_api(opened.id, models.CheckoutBasketBody.from_dict(checkout)).order_id
    try:
        orders.confirm_order_api(order)
    except ConflictException as refused:
        print("openapi-generator", refused.data.code)
    payment = models.AuthorizePaymentBody.from_dict({"orderId": order, "tender": tender})
    PaymentHubApi(client).authorize_payment_api(payment)
    print("openapi-generator", orders.confirm_order_api(order).state)
