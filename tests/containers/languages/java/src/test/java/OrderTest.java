import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

class OrderTest {
  static final String IMAGE = Optional.ofNullable(System.getenv("ESTATE_IMAGE")).orElse("unified-commerce-estate:local");

  static final GenericContainer<?> ESTATE =
      new GenericContainer<>(IMAGE)
          .withExposedPorts(8080)
          .withEnv("ALLOW_DEMO_CREDENTIALS", "true")
          .waitingFor(Wait.forHttp("/readyz").forPort(8080));

  @BeforeAll
  static void start() {
    ESTATE.start();
  }

  @AfterAll
  static void stop() {
    ESTATE.stop();
  }

  /** A freshly seeded world. Its bearer token reaches no other. */
  static class Rehearsal implements AutoCloseable {
    private final HttpClient http = HttpClient.newHttpClient();
    private final ObjectMapper json = new ObjectMapper();
    private final String gateway = "http://" + ESTATE.getHost() + ":" + ESTATE.getMappedPort(8080);
    private final String name;
    private final String bearer;

    Rehearsal(String name) throws Exception {
      this.name = name;
      String body = "{\"name\": \"%s\"}".formatted(name);
      HttpRequest.Builder create = HttpRequest.newBuilder(URI.create(gateway + "/_control/rehearsals"));
      bearer = send(create.method("POST", BodyPublishers.ofString(body)), "demo-control-token").at("/credentials/bearer").asText();
    }

    JsonNode api(String method, String path, String body) throws Exception {
      return send(HttpRequest.newBuilder(URI.create(gateway + path)).method(method, BodyPublishers.ofString(body)), bearer);
    }

    JsonNode control(String method, String path, String body) throws Exception {
      HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(gateway + "/_control" + path)).header("X-Rehearsal", name);
      return send(request.method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body)), "demo-control-token");
    }

    @Override
    public void close() throws Exception {
      control("DELETE", "/rehearsals/" + name, "");
    }

    private JsonNode send(HttpRequest.Builder request, String token) throws Exception {
      request.header("Authorization", "Bearer " + token).header("Content-Type", "application/json");
      var answer = http.send(request.build(), BodyHandlers.ofString());
      assertTrue(answer.statusCode() < 300, answer.body());
      return json.readTree(answer.body());
    }
  }

  @Test
  void anOrderThatIsPaidIsConfirmed() throws Exception {
    try (var rehearsal = new Rehearsal("paid-order")) {
      String basket =
          rehearsal.api("POST", "/baskets", """
              {"channel": "web", "customerId": "cus_ada", "lines": [{"sku": "mug-blue", "qty": 2}]}""").at("/id").asText();
      rehearsal.api("POST", "/baskets/" + basket + "/checkout", """
          {"shippingAddress": {"name": "Ada", "line1": "1 Quay Street", "city": "Galway", "postalCode": "H91", "country": "IE"}}""");
      String order = rehearsal.api("POST", "/orders", """
          {"basketId": "%s"}""".formatted(basket)).at("/id").asText();
      rehearsal.api("POST", "/payments/authorizations", """
          {"orderId": "%s", "tender": {"type": "card", "token": "tok_visa"}}""".formatted(order));
      rehearsal.api("POST", "/orders/" + order + "/confirm", "{}");

      rehearsal.control("POST", "/clock/advance", """
          {"by": "PT1H"}""");

      JsonNode events = rehearsal.control("GET", "/events?type=order-confirmed&subject=order/" + order, "");
      assertEquals(1, events.at("/items").size());
      assertTrue(rehearsal.control("GET", "/verify", "").at("/holds").asBoolean());
    }
  }
}
