import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import penknife.PenknifeMock;

class RetryTest {
  static final PenknifeMock mock = PenknifeMock.start();

  @BeforeEach
  void reset() {
    mock.reset();
  }

  @AfterAll
  static void stop() {
    mock.stop();
  }

  static int lookUp() throws Exception {
    URI url = URI.create(mock.url() + "/v1/bluetoothlookup?companyid=76");
    HttpRequest request = HttpRequest.newBuilder(url).header("x-api-key", mock.key()).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode();
  }

  @Test
  void aCallThatFailsOnceSucceedsWhenItIsRepeated() throws Exception {
    mock.fault(Map.of("api", "bluetoothlookup", "status", 503, "times", 1));
    assertEquals(503, lookUp());
    assertEquals(200, lookUp());
    mock.verify(Map.of("api", "bluetoothlookup", "order", List.of(Map.of("status", 503), Map.of("status", 200))));
  }

  @Test
  void verifySaysWhatCameInstead() throws Exception {
    lookUp();
    Error error = assertThrows(AssertionError.class, () -> mock.verify(Map.of("api", "hmac", "count", 1)));
    assertTrue(error.getMessage().contains("#1 GET /v1/bluetoothlookup"), error.getMessage());
  }
}
