import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ECommercePlatformApi;
import org.openapitools.client.api.OmsApi;
import org.openapitools.client.api.PaymentHubApi;
import org.openapitools.client.model.*;

/** Places an order with the client of openapi-generator in Java. */
public class Order {
  public static void main(String[] arguments) throws Exception {
    String token = System.getenv("ESTATE_BEARER_TOKEN");
    ApiClient client = new ApiClient();
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    ECommercePlatformApi shop = new ECommercePlatformApi(client);
    OmsApi orders = new OmsApi(client);
    RequestedLine line = new RequestedLine().sku("mug-blue").qty(2);
    Basket basket = shop.createBasketApi(new CreateBasketBody().channel(DigitalChannel.WEB).addLinesItem(line), null, null, null, null);
    Address address = new Address().name("Ada Byrne").line1("1 Quay Street").city("Galway").postalCode("H91").country("IE");
    CheckoutBasketBody checkout = new CheckoutBasketBody().shippingAddress(address).placeOrder(true);
    String id = shop.checkoutBasketApi(basket.getId(), checkout, null, null, null, null, null).getOrderId();
    try {
      orders.confirmOrderApi(id, null, null, null, null, null);
    } catch (ApiException refused) {
      Problem problem = client.getObjectMapper().readValue(refused.getResponseBody(), Problem.class);
      System.out.println("java " + problem.getCode());
    }
    DigitalTender tender = new DigitalTender().type(DigitalTender.TypeEnum.CARD).token("tok_visa");
    new PaymentHubApi(client).authorizePaymentApi(new AuthorizePaymentBody().orderId(id).tender(tender), null, null, null, null);
    System.out.println("java " + orders.confirmOrderApi(id, null, null, null, null, null).getState());
  }
}
