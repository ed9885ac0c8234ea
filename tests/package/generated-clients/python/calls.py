"""Plays a basket with the client of openapi-python-client and with the client of openapi-generator."""

import os

from generated import AuthenticatedClient
from generated.api.e_commerce_platform import create_basket_api, get_product_api
from generated.models import CreateBasketApiBody
from openapi_client import ApiClient, Configuration
from openapi_client.api.e_commerce_platform_api import ECommercePlatformApi
from openapi_client.exceptions import NotFoundException
from openapi_client.models.create_basket_api_request import CreateBasketApiRequest

url = os.environ["ESTATE_URL"]
token = os.environ["ESTATE_BEARER_TOKEN"]
basket = {"channel": "web", "lines": [{"sku": "mug-blue", "qty": 1}]}

with AuthenticatedClient(base_url=url, token=token) as client:
    print("openapi-python-client", create_basket_api.sync(client=client, body=CreateBasketApiBody.from_dict(basket)).state)
    print("openapi-python-client", get_product_api.sync("no-such-thing", client=client).code)

with ApiClient(Configuration(host=url, access_token=token)) as client:
    api = ECommercePlatformApi(client)
    print("openapi-generator", api.create_basket_api(CreateBasketApiRequest.from_dict(basket)).state)
    try:
        api.get_product_api("no-such-thing")
    except NotFoundException as refused:
        print("openapi-generator", refused.data.code)
