import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import org.junit.jupiter.api.Test;
import penknife.PenknifeMock;

/** A verify that passes and one that fails, for a run that reads what JUnit prints of them. */
class VerifyTest {
  private static void call(PenknifeMock mock) throws Exception {
    URI url = URI.create(mock.url() + "/v1/bluetoothlookup?companyid=76");
    HttpRequest request = HttpRequest.newBuilder(url).header("x-api-key", mock.key()).build();
    HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }

  @Test
  void passes() throws Exception {
    try (PenknifeMock mock = PenknifeMock.start()) {
      call(mock);
      mock.verify(Map.of("api", "bluetoothlookup", "status", 200, "count", 1));
    }
  }

  @Test
  void fails() throws Exception {
    try (PenknifeMock mock = PenknifeMock.start()) {
      call(mock);
      mock.verify(Map.of("api", "hmac", "count", 1));
    }
  }
}
