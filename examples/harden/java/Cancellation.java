// A customer orders two mugs, and cancels the order before it is sent.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

public class Cancellation {
  static final String ADDRESS = "{'name':'Ada Byrne','line1':'1 Quay Street','city':'Galway','postalCode':'H91','country':'IE'}";
  static final Map<String, String> ENVIRONMENT = System.getenv();
  static final HttpClient CLIENT = HttpClient.newHttpClient();

  /** Tries a call up to four times, with one key. @param body JSON with ' in place of " */
  static String call(String method, String path, String body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(ENVIRONMENT.get("ESTATE_URL") + path))
        .method(method, BodyPublishers.ofString(body.replace('\'', '"')))
        .header("Authorization", "Bearer " + ENVIRONMENT.get("ESTATE_BEARER_TOKEN"))
        .header("X-Rehearsal", ENVIRONMENT.get("ESTATE_REHEARSAL"))
        .header("Content-Type", "application/json")
        .header("Idempotency-Key", UUID.randomUUID().toString())
        .timeout(Duration.ofSeconds(4))
        .build();
    for (int attempt = 1; ; attempt++) {
      var answer = CLIENT.sendAsync(request, BodyHandlers.ofString()).exceptionally(error -> null).get();
      int status = answer == null ? 503 : answer.statusCode();
      if (status < 300) return answer.body();
      if (attempt == 4 || status < 500 && status != 429) throw new IllegalStateException(method + " " + path + ": " + status);
      Thread.sleep(200);
    }
  }

  static String find(String pattern, String text) {
    var found = Pattern.compile(pattern).matcher(text);
    if (!found.find()) throw new IllegalStateException("There is no " + pattern + " in " + text);
    return found.group(1);
  }

  public static void main(String[] args) throws Exception {
    var goods = "{'channel':'web','customerId':'cus_ada','lines':[{'sku':'mug-blue','qty':2}]}";
    var basket = find("\"(bsk_\\w+)\"", call("POST", "/baskets", goods));
    var checkout = call("POST", "/baskets/" + basket + "/checkout", "{'placeOrder':true,'shippingAddress':" + ADDRESS + "}");
    var order = find("\"(ord_\\w+)\"", checkout);
    call("POST", "/payments/authorizations", "{'orderId':'" + order + "','tender':{'type':'card','token':'tok_visa'}}");
    call("POST", "/orders/" + order + "/confirm", "{}");
    call("POST", "/orders/" + order + "/cancel", "{'reason':'customer_request'}");
    var view = "{\"order\":\"cancelled\"}";
    if (ENVIRONMENT.containsKey("CHECK_FILE")) Files.writeString(Path.of(ENVIRONMENT.get("CHECK_FILE")), view);
  }
}
