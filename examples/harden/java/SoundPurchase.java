// A customer looks at the stock of three products, orders two mugs, gets a receipt, and then cancels the order.
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

public class SoundPurchase {
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
      boolean mayPass = status >= 500 || status == 429 || answer.body().contains("\"retryable\":true");
      if (attempt == 4 || !mayPass) throw new IllegalStateException(method + " " + path + ": " + status);
      Thread.sleep(200 * attempt);
    }
  }

  static String find(String pattern, String text) {
    var found = Pattern.compile(pattern).matcher(text);
    if (!found.find()) throw new IllegalStateException("There is no " + pattern + " in " + text);
    return found.group(1);
  }

  /** A text without lists. */
  static String outside(String text) {
    for (int depth = 0; depth < 5; depth++) text = text.replaceAll("\\[[^\\[\\]]*\\]", "0");
    return text;
  }

  public static void main(String[] args) throws Exception {
    var view = "";
    for (var sku : new String[] {"mug-blue", "lamp-last-one", "vase-sold-out"})
      view += "\"" + sku + "\":" + find("\"atp\" *: *(\\d+)", outside(call("GET", "/inventory/" + sku + "/availability", ""))) + ",";
    var goods = "{'channel':'web','customerId':'cus_ada','lines':[{'sku':'mug-blue','qty':2}]}";
    var basket = find("\"(bsk_\\w+)\"", call("POST", "/baskets", goods));
    call("POST", "/baskets/" + basket + "/checkout", "{'shippingAddress':" + ADDRESS + "}");
    var order = find("\"(ord_\\w+)\"", call("POST", "/orders", "{'basketId':'" + basket + "'}"));
    var payment = call("POST", "/payments/authorizations", "{'orderId':'" + order + "','tender':{'type':'card','token':'tok_visa'}}");
    call("POST", "/orders/" + order + "/confirm", "{}");
    var amount = " *: *\\{[^}]*\"amount\" *: *(\\d+)";
    var total = find("\"total\"" + amount, call("GET", "/orders/" + order, ""));
    var paid = find("\"authorizedAmount\"" + amount, payment);
    if (!total.equals(paid)) throw new IllegalStateException(paid + " was authorised for an order of " + total);
    var cancelled = outside(call("POST", "/orders/" + order + "/cancel", "{'reason':'customer_request'}"));
    view = "{" + view + "\"paid\":" + paid + ",\"order\":\"" + find("\"state\" *: *\"(cancelled)\"", cancelled) + "\"}";
    if (ENVIRONMENT.containsKey("CHECK_FILE")) Files.writeString(Path.of(ENVIRONMENT.get("CHECK_FILE")), view);
  }
}
