package penknife;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import penknife.PenknifeMock.MockException;
import penknife.PenknifeMock.Options;

/**
 * Runs the table of behaviours, and mistakes at the start, with the client for Java. Prints a line for each; ends with 1 if one
 * differs. The JUnit example is apart, so that this needs the JDK alone.
 */
public final class Behaviours {
  private Behaviours() {}

  public static void main(String[] arguments) throws IOException {
    Map<?, ?> table = (Map<?, ?>) new PenknifeMock.Reader(Files.readString(Path.of("../behaviours.json"))).read();
    Map<?, ?> start = (Map<?, ?>) table.get("start");
    Options options = new Options().seedTime((String) start.get("seed_time")).plan((String) start.get("plan"));
    options.seed(fieldsOf(start.get("seed"))).webhook(System.getenv("RECEIVER"));
    List<?> behaviours = (List<?>) table.get("behaviours");
    int same = 0;
    try (PenknifeMock shared = PenknifeMock.start(options)) {
      for (Object item : behaviours) {
        Map<?, ?> behaviour = (Map<?, ?>) item;
        shared.reset();
        if (report((String) behaviour.get("name"), runSteps(shared, (List<?>) behaviour.get("steps")))) same++;
      }
    }
    boolean refusesMistakes = report("mistakes at the start are told", mistakesAtTheStart());
    boolean tellsOfWebhooks = report("webhooks that do not come are told", webhooksThatDoNotCome());
    System.out.println(same + " of " + behaviours.size() + " behaviours are the same in Java");
    System.exit(refusesMistakes && tellsOfWebhooks && same == behaviours.size() ? 0 : 1);
  }

  private static boolean report(String name, List<String> problems) {
    System.out.println((problems.isEmpty() ? "ok " : "not ok ") + name);
    problems.forEach(System.out::println);
    return problems.isEmpty();
  }

  private static List<String> runSteps(PenknifeMock shared, List<?> steps) {
    Map<String, PenknifeMock> mocks = new HashMap<>(Map.of("shared", shared));
    List<String> problems = new ArrayList<>();
    for (int index = 0; index < steps.size(); index++) {
      Map<?, ?> step = (Map<?, ?>) steps.get(index);
      if ("session".equals(step.get("in"))) {
        mocks.computeIfAbsent("session", name -> PenknifeMock.start(new Options().shared(shared.url())));
      }
      for (String problem : tryStep(mocks, step)) {
        problems.add("   step " + (index + 1) + ", " + step.get("do") + ": " + problem);
      }
    }
    mocks.remove("shared");
    mocks.values().forEach(PenknifeMock::stop);
    return problems;
  }

  private static List<String> tryStep(Map<String, PenknifeMock> mocks, Map<?, ?> step) {
    Object refused = step.get("refused");
    Object result;
    try {
      String name = (String) (step.containsKey("in") ? step.get("in") : "shared");
      boolean isStart = "start".equals(step.get("do"));
      result =
          isStart ? start(mocks, step.get("with")) : run(mocks.get(name), (String) step.get("do"), step.get("with"));
    } catch (MockException | AssertionError thrown) {
      if (refused == null) return List.of("was refused: " + thrown);
      boolean isMismatch = "verify".equals(step.get("do")) && step.get("invalid") == null;
      if (thrown instanceof AssertionError != isMismatch) return List.of("threw " + thrown.getClass());
      return differences(Map.of("contains", refused), thrown.getMessage(), "message");
    }
    if (refused != null) return List.of("was not refused");
    return step.containsKey("gives") ? differences(step.get("gives"), result, "") : List.of();
  }

  private static Object start(Map<String, PenknifeMock> mocks, Object with) {
    PenknifeMock started = PenknifeMock.start(optionsOf(fieldsOf(with)));
    PenknifeMock before = mocks.put("started", started);
    if (before != null) before.stop();
    Map<String, Object> result = new HashMap<>();
    result.put("url", started.url());
    result.put("ca", started.ca());
    result.put("differences", started.differences());
    return result;
  }

  private static Options optionsOf(Map<String, Object> fields) {
    Options options = new Options();
    fields.forEach(
        (name, value) -> {
          switch (name) {
            case "port":
              options.port(((Number) value).intValue());
              break;
            case "tls":
              options.tls(((List<?>) value).toArray(new String[0]));
              break;
            case "like":
              options.like((String) value);
              break;
            case "strict_like":
              options.strictLike((Boolean) value);
              break;
            case "graphql":
              options.graphql((Boolean) value);
              break;
            default:
              throw new IllegalArgumentException("the client has no option " + name);
          }
        });
    return options;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> fieldsOf(Object value) {
    return value instanceof Map ? (Map<String, Object>) value : Map.of();
  }

  private static Object run(PenknifeMock mock, String name, Object with) {
    Map<String, Object> fields = fieldsOf(with);
    switch (name) {
      case "call":
        return call(mock, fields);
      case "advance":
        return mock.advance((String) with);
      case "set_time":
        return mock.setTime((String) with);
      case "requests":
        return mock.requests(fields);
      case "notices":
        return mock.notices();
      case "webhooks":
        Number count = fields.containsKey("count") ? (Number) fields.get("count") : 1;
        return mock.webhooks((String) fields.get("type"), count.intValue());
      case "resend":
        return mock.resend((String) with);
      case "mails":
        return mock.mails();
      default:
        change(mock, name, with, fields);
        return null;
    }
  }

  private static void change(PenknifeMock mock, String name, Object with, Map<String, Object> fields) {
    switch (name) {
      case "fault":
        mock.fault(fields);
        break;
      case "stub":
        mock.stub(fields);
        break;
      case "clear":
        mock.clear();
        break;
      case "profile":
        mock.profile((String) with);
        break;
      case "dns":
        mock.dns(fields);
        break;
      case "web":
        mock.web(fields);
        break;
      case "verify":
        mock.verify(fields);
        break;
      case "reset":
        mock.reset();
        break;
      default:
        throw new IllegalArgumentException("the client has no " + name);
    }
  }

  /** An HTTP call as a program under test makes it. */
  private static Object call(PenknifeMock mock, Map<String, Object> fields) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(mock.url() + fields.get("path")));
    Object body = fields.get("body");
    if (body != null) request.header("content-type", "application/json");
    String method = (String) (fields.containsKey("method") ? fields.get("method") : "GET");
    request.method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(PenknifeMock.write(body)));
    Object key = fields.containsKey("key") ? fields.get("key") : mock.key();
    if (key != null) request.header("x-api-key", (String) key);
    Map<?, ?> headers = fields.containsKey("headers") ? (Map<?, ?>) fields.get("headers") : Map.of();
    headers.forEach((name, value) -> request.header((String) name, (String) value));
    HttpClient client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(mock.sslContext()).build();
    HttpResponse<String> answer;
    try {
      answer = client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException broken) {
      return Map.of("broken", true);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
    Map<String, Object> result = new HashMap<>();
    Map<String, Object> received = new HashMap<>();
    answer.headers().map().forEach((name, values) -> received.put(name.toLowerCase(), String.join(", ", values)));
    result.put("status", (long) answer.statusCode());
    result.put("text", answer.body());
    result.put("headers", received);
    try {
      result.put("body", new PenknifeMock.Reader(answer.body()).read());
    } catch (IllegalArgumentException notJson) {
      // A step that needs a body finds none.
    }
    return result;
  }

  /** Where a value lacks what is expected. Objects may have more members, arrays may not. */
  private static List<String> differences(Object expected, Object actual, String path) {
    List<String> found = new ArrayList<>();
    if (expected instanceof Map && ((Map<?, ?>) expected).containsKey("contains")) {
      for (Object text : (List<?>) ((Map<?, ?>) expected).get("contains")) {
        if (!(actual instanceof String && ((String) actual).contains((String) text))) {
          found.add(path + " lacks '" + text + "': " + actual);
        }
      }
    } else if (expected instanceof Map && actual instanceof Map) {
      Map<?, ?> given = (Map<?, ?>) actual;
      ((Map<?, ?>) expected)
          .forEach(
              (name, value) -> {
                Object member = given.containsKey(name) ? given.get(name) : "nothing";
                found.addAll(differences(value, member, path + "." + name));
              });
    } else if (expected instanceof List && actual instanceof List && size(expected) == size(actual)) {
      for (int index = 0; index < size(expected); index++) {
        Object value = ((List<?>) expected).get(index);
        found.addAll(differences(value, ((List<?>) actual).get(index), path + "[" + index + "]"));
      }
    } else if (expected == null ? actual != null : !expected.equals(actual)) {
      found.add(path + " is " + actual + ", not " + expected);
    }
    return found;
  }

  private static int size(Object list) {
    return ((List<?>) list).size();
  }

  private static List<String> mistakesAtTheStart() throws IOException {
    Map<String, Options> mistakes =
        Map.of(
            "mock ended with 2: ", new Options().plan("gold"),
            "--plan must be one of", new Options().plan("gold"),
            "/none/penknife cannot be run", new Options().command("/none/penknife"),
            "/bin/echo is not penknife: it printed 'hello mock", new Options().command("/bin/echo", "hello"),
            "start that with '--plan'", new Options().shared("http://127.0.0.1:1").plan("free"),
            "http://127.0.0.1:1 does not answer", new Options().shared("http://127.0.0.1:1"));
    List<String> problems = new ArrayList<>();
    mistakes.forEach((text, options) -> problems.addAll(lacking(text, () -> PenknifeMock.start(options))));
    problems.addAll(differences(Map.of("contains", List.of("penknife was not found")), withoutPenknife(), "   message"));
    return problems;
  }

  private static List<String> webhooksThatDoNotCome() {
    PenknifeMock.waitSeconds = 0;
    List<String> wanted = List.of("0 of 1 webhooks of the type 'key.expiring'", "key.expiring msg_", "is unsent: ");
    try (PenknifeMock mock = PenknifeMock.start()) {
      mock.advance("23d");
      return List.of("   it returned " + mock.webhooks("key.expiring", 1));
    } catch (MockException thrown) {
      List<String> problems = differences(Map.of("contains", wanted), thrown.getMessage(), "   message");
      problems.addAll(webhooksOfATypeThatIsNotRaised());
      return problems;
    }
  }

  private static List<String> webhooksOfATypeThatIsNotRaised() {
    List<String> wanted = List.of("0 of 1 webhooks of the type 'credits.low'", "types that were raised: key.expiring");
    Options options = new Options().like("http://127.0.0.1:1").smtp("smtp://127.0.0.1:1");
    try (PenknifeMock mock = PenknifeMock.start(options)) {
      if (mock.differences().size() != 1) return List.of("   differences are " + mock.differences());
      mock.advance("23d");
      return List.of("   it returned " + mock.webhooks("credits.low", 1));
    } catch (MockException thrown) {
      return differences(Map.of("contains", wanted), thrown.getMessage(), "   message");
    }
  }

  /** The output of this program where no penknife is found. */
  private static String withoutPenknife() throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), "penknife.Behaviours");
    builder.environment().remove("PENKNIFE_BIN");
    builder.environment().put("PATH", "");
    Process process = builder.redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static List<String> lacking(String text, Supplier<PenknifeMock> start) {
    try (PenknifeMock mock = start.get()) {
      return List.of("   it started at " + mock.url() + " instead of: " + text);
    } catch (MockException thrown) {
      return differences(Map.of("contains", List.of(text)), thrown.getMessage(), "   message");
    }
  }
}
