package penknife;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The test double of penknife, from a test in Java 11 or newer. It needs the JDK alone.
 *
 * <pre>{@code
 * try (PenknifeMock mock = PenknifeMock.start()) {
 *   mock.fault(Map.of("api", "hmac", "status", 503, "times", 1));
 *   // call mock.url() with the header x-api-key: mock.key()
 *   mock.verify(Map.of("api", "hmac", "count", 2));
 * }
 * }</pre>
 *
 * Methods throw a {@link MockException} when the mock refuses what a test asks of it.
 */
public final class PenknifeMock implements AutoCloseable {
  private static final int START_SECONDS = 30;
  private static final int LOG_CHARACTERS = 16_384;
  /** No constant, for the tests of this class. */
  static int waitSeconds = 5;

  private static final HttpClient CLIENT = clientOf(null);

  private final HttpClient client;
  private final String url;
  private final String key;
  private final String ca;
  private final String webhookSecret;
  private final List<String> differences;
  private final Runnable end;

  private PenknifeMock(
      String url, String key, String ca, String webhookSecret, List<String> differences, Runnable end) {
    this.client = ca == null ? CLIENT : clientOf(ca);
    this.url = url;
    this.key = key;
    this.ca = ca;
    this.webhookSecret = webhookSecret;
    this.differences = differences;
    this.end = end;
  }

  /** The mock did not start, or refused what a test asked of it. The message says what to change. */
  public static final class MockException extends RuntimeException {
    private static final long serialVersionUID = 1;

    MockException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** How {@link #start(Options)} starts the mock. The settings of the shell (PENKNIFE_PLAN, …) have no effect. */
  public static final class Options {
    /** By name; the value is null for one that has none. */
    private final Map<String, String> flags = new LinkedHashMap<>();
    private List<String> command = List.of();
    private String shared = null;

    private Options flag(String name, String value) {
      flags.put(name, Objects.requireNonNull(value, name));
      return this;
    }

    private Options toggle(String name, boolean isSet) {
      if (isSet) flags.put(name, null);
      else flags.remove(name);
      return this;
    }

    /** The port to listen on; by default a free one. */
    public Options port(int port) {
      return flag("--port", String.valueOf(port));
    }

    /** The clock at the start, such as 2025-01-01T00:00:00Z, the default. */
    public Options seedTime(String instant) {
      return flag("--seed-time", instant);
    }

    /** "stopped", the default, or "real". */
    public Options clock(String mode) {
      return flag("--clock", mode);
    }

    /** The path of a YAML file with the DNS records to answer with. */
    public Options dns(String path) {
      return flag("--dns", path);
    }

    /** The path of a YAML file with what other hosts answer over HTTPS. */
    public Options web(String path) {
      return flag("--web", path);
    }

    /** The path of a file with the state at the start. */
    public Options seed(String path) {
      return flag("--seed", path);
    }

    /** The content of such a file. */
    public Options seed(Map<String, ?> content) {
      return flag("--seed", write(content));
    }

    /** The plan of {@link PenknifeMock#key()}; "pro" by default. */
    public Options plan(String plan) {
      return flag("--plan", plan);
    }

    /** Host names to serve TLS for. Clients must trust {@link PenknifeMock#sslContext()}. */
    public Options tls(String... names) {
      return flag("--tls-self-signed", String.join(",", names));
    }

    /** A folder with APIs of your own, which the mock serves too. */
    public Options apis(String folder) {
      return flag("--apis", folder);
    }

    /** The URL of a running service to compare with at the start; see {@link PenknifeMock#differences()}. */
    public Options like(String url) {
      return flag("--like", url);
    }

    /** true does not start if something differs from the service of {@link #like}, or that could not be found out. */
    public Options strictLike(boolean isStrict) {
      return toggle("--strict-like", isStrict);
    }

    /** A mail catcher on this machine, such as smtp://127.0.0.1:1025, which gets the mails. */
    public Options smtp(String url) {
      return flag("--smtp", url);
    }

    /** The URL of a receiver of webhooks on this machine. */
    public Options webhook(String url) {
      return flag("--webhook", url);
    }

    /** Whose time signs webhooks: "machine", the default, or "mock". */
    public Options webhookTime(String clock) {
      return flag("--webhook-time", clock);
    }

    /** false turns GraphQL off. */
    public Options graphql(boolean isOn) {
      return toggle("--no-graphql", !isOn);
    }

    /** The URL of a running mock: a session of it is used, and no process started. It goes with no other option. */
    public Options shared(String url) {
      shared = url;
      return this;
    }

    /** The program with its first arguments; by default PENKNIFE_BIN, else penknife on the PATH. */
    public Options command(String... command) {
      this.command = List.of(command);
      return this;
    }
  }

  /** Starts a mock on a free port, and returns it when it answers. */
  public static PenknifeMock start() {
    return start(new Options());
  }

  /** Starts a mock and returns it when it answers. It ends with {@link #close()}, and with this process. */
  public static PenknifeMock start(Options options) {
    if (options.shared == null) return startProcess(options);
    List<String> others = new ArrayList<>(options.flags.keySet());
    others.addAll(options.command);
    if (!others.isEmpty()) {
      String other = "'" + others.get(0) + "'";
      throw new MockException(
          "penknife mock: 'shared' uses a mock that runs already: start that with " + other, null);
    }
    String base = options.shared.replaceAll("/$", "");
    Map<String, Object> session = send(CLIENT, base, "POST", "/_mock/sessions", null);
    Runnable end = () -> send(CLIENT, base, "DELETE", "/_mock/sessions/" + session.get("id"), null);
    // It is reached below the address that was given, also if the mock sees another.
    String url = base + "/s/" + session.get("id");
    return new PenknifeMock(url, (String) session.get("key"), null, secretOf(session), List.of(), end);
  }

  /** Where it listens, such as http://127.0.0.1:41273. */
  public String url() {
    return url;
  }

  /** A valid API key, on the plan of {@link Options#plan}. */
  public String key() {
    return key;
  }

  /** The certificate of its authority (PEM) with {@link Options#tls}, else null. */
  public String ca() {
    return ca;
  }

  /** Trusts {@link #ca()}, for {@link HttpClient.Builder#sslContext}; the one of the JDK for plain HTTP. */
  public SSLContext sslContext() {
    return client.sslContext();
  }

  /** Signs the messages to the receiver of {@link Options#webhook}; null without that. */
  public String webhookSecret() {
    return webhookSecret;
  }

  /** How it differs from the service of {@link Options#like}, a sentence each. */
  public List<String> differences() {
    return differences;
  }

  /** Makes calls fail. docs/mock.md lists the fields. */
  public void fault(Map<String, ?> fault) {
    control("PUT", "/_mock/faults", fault);
  }

  /** Sets a fixed answer. docs/mock.md lists the fields. */
  public void stub(Map<String, ?> stub) {
    control("PUT", "/_mock/stubs", stub);
  }

  /** Removes all faults and stubs. */
  public void clear() {
    control("DELETE", "/_mock/faults", null);
    control("DELETE", "/_mock/stubs", null);
  }

  /** Sets a named set of faults, such as "flaky" or "outage"; "ok" removes it. */
  public void profile(String name) {
    control("PUT", "/_mock/profile", Map.of("name", name));
  }

  /** Moves the clock forward by a time such as "90s", "15m", "24h" or "31d"; returns the new time (ISO 8601). */
  public String advance(String time) {
    return (String) control("PUT", "/_mock/clock", Map.of("advance", time)).get("now");
  }

  /** Sets the clock to an instant such as "2025-03-01T12:00:00Z"; returns the new time. */
  public String setTime(String now) {
    return (String) control("PUT", "/_mock/clock", Map.of("now", now)).get("now");
  }

  /** Replaces all DNS records. */
  public void dns(Map<String, ?> zone) {
    control("PUT", "/_mock/dns", zone);
  }

  /** Replaces all that other hosts answer over HTTPS. */
  public void web(Map<String, ?> replies) {
    control("PUT", "/_mock/web", replies);
  }

  /** All requests with their answers, oldest first. */
  public List<Map<String, Object>> requests() {
    return requests(Map.of());
  }

  /**
   * The requests with their answers, oldest first. Throws when the mock no longer keeps the oldest ones.
   *
   * @param conditions api, status and key
   */
  public List<Map<String, Object>> requests(Map<String, ?> conditions) {
    List<String> query = new ArrayList<>();
    conditions.forEach((name, value) -> query.add(encoded(name) + "=" + encoded(String.valueOf(value))));
    Map<String, Object> journal = control("GET", "/_mock/requests?" + String.join("&", query), null);
    if (((Number) journal.get("dropped")).longValue() > 0) {
      String counts = journal.get("dropped") + " oldest of " + journal.get("total");
      throw new MockException(
          "penknife mock: the " + counts + " requests are no longer kept; call reset() between tests", null);
    }
    return listOf(journal, "requests");
  }

  /**
   * Checks what was called. docs/mock.md lists the fields.
   *
   * @throws AssertionError if it was not called so; the message says what came instead
   */
  public void verify(Map<String, ?> expected) {
    control("POST", "/_mock/verify", expected);
  }

  /** The webhook messages, oldest first, with the attempts to deliver them. */
  public List<Map<String, Object>> notices() {
    return listOf(control("GET", "/_mock/notices", null), "notices");
  }

  /**
   * Waits until {@code count} webhook messages of a type are delivered, and returns all that are. Throws when there are fewer
   * after 5 seconds of real time.
   *
   * @param type null for any type
   */
  public List<Map<String, Object>> webhooks(String type, int count) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(waitSeconds);
    while (true) {
      List<Map<String, Object>> delivered = new ArrayList<>();
      StringBuilder others = new StringBuilder();
      Set<String> types = new LinkedHashSet<>();
      for (Map<String, Object> notice : notices()) {
        types.add((String) notice.get("type"));
        if (type != null && !type.equals(notice.get("type"))) continue;
        if ("delivered".equals(notice.get("state"))) delivered.add(notice);
        else {
          String name = notice.get("type") + " " + notice.get("id");
          Object reason = Objects.requireNonNullElse(notice.get("reason"), "no answer so far");
          others.append("\n  " + name + " is " + notice.get("state") + ": " + reason);
        }
      }
      if (delivered.size() >= count) return delivered;
      if (System.nanoTime() > until) {
        if (delivered.isEmpty() && others.length() == 0) {
          others.append("\n  types that were raised: " + (types.isEmpty() ? "none" : String.join(", ", types)));
        }
        String kind = type == null ? "" : " of the type '" + type + "'";
        String found = delivered.size() + " of " + count + " webhooks" + kind;
        throw new MockException(
            "penknife mock: " + found + " were delivered in " + waitSeconds + " s" + others, null);
      }
      try {
        Thread.sleep(20);
      } catch (InterruptedException interrupted) {
        throw stopped(interrupted);
      }
    }
  }

  /** Sends a webhook message or a mail again, with the same id; returns it. */
  public Map<String, Object> resend(String id) {
    String list = id.startsWith("mail_") ? "mails" : "notices";
    return control("PUT", "/_mock/" + list + "/" + encoded(id) + "/resend", null);
  }

  /** The mails, oldest first, with text, HTML, link and the attempts to send them. */
  public List<Map<String, Object>> mails() {
    return listOf(control("GET", "/_mock/mails", null), "mails");
  }

  /** Restores the state at the start. */
  public void reset() {
    control("POST", "/_mock/reset", null);
  }

  /** Ends the mock, or the session of a shared one. */
  public void stop() {
    end.run();
  }

  /** The same as {@link #stop()}, for a {@code try} block. */
  @Override
  public void close() {
    stop();
  }

  /** Sends a request to a control path, and returns the data of the answer. */
  public Map<String, Object> control(String method, String path, Map<String, ?> body) {
    return send(client, url, method, path, body);
  }

  private static List<String> findCommand() {
    String named = System.getenv("PENKNIFE_BIN");
    if (named != null && !named.isEmpty()) return List.of(named);
    String path = System.getenv("PATH");
    for (String folder : (path == null ? "" : path).split(File.pathSeparator)) {
      if (folder.isEmpty()) continue;
      for (String name : List.of("penknife", "penknife.exe")) {
        File file = new File(folder, name);
        if (file.isFile() && file.canExecute()) return List.of(file.getPath());
      }
    }
    throw new MockException(
        "penknife was not found: build it with 'bun run build' in its repository, and set PENKNIFE_BIN to the path of"
            + " dist/penknife, or put it on the PATH.",
        null);
  }

  private static PenknifeMock startProcess(Options options) {
    List<String> command = new ArrayList<>(options.command.isEmpty() ? findCommand() : options.command);
    String program = command.get(0);
    command.addAll(Arrays.asList("mock", "--json", "--stop-with-stdin", "--port", "0"));
    options.flags.forEach((name, value) -> command.addAll(value == null ? List.of(name) : List.of(name, value)));
    ProcessBuilder builder = new ProcessBuilder(command);
    // The settings of the shell are meant for services that are started there.
    builder.environment().keySet().removeIf(name -> name.toUpperCase(Locale.ROOT).startsWith("PENKNIFE_"));
    Process process;
    try {
      process = builder.start();
    } catch (IOException cause) {
      throw new MockException(cause.getMessage() + ": " + program + " cannot be run. Look at PENKNIFE_BIN.", cause);
    }
    // Its standard input closes when this process ends, so that the mock ends too when a test run is killed.
    CompletableFuture<String> log = inThread(() -> readLog(process.getErrorStream()));
    BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line;
    try {
      line = inThread(output::readLine).get(START_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      throw stopped(interrupted);
    } catch (ExecutionException | TimeoutException cause) {
      end(process);
      throw new MockException(program + " mock did not start: " + log.join().trim(), cause);
    }
    if (line == null) {
      throw new MockException(program + " mock ended with " + end(process) + ": " + log.join().trim(), null);
    }
    try {
      Map<String, Object> event = objectOf(new Reader(line).read());
      String secret = secretOf(event);
      List<String> differences = new ArrayList<>();
      if (event.get("differences") != null) {
        for (Object difference : (List<?>) event.get("differences")) differences.add((String) difference);
      }
      String key = (String) event.get("key");
      String ca = (String) event.get("ca");
      return new PenknifeMock((String) event.get("url"), key, ca, secret, differences, () -> end(process));
    } catch (IllegalArgumentException cause) {
      process.destroyForcibly();
      String start = line.substring(0, Math.min(line.length(), 200));
      throw new MockException(program + " is not penknife: it printed '" + start + "'", cause);
    }
  }

  private interface Source<T> {
    T get() throws IOException;
  }

  private static <T> CompletableFuture<T> inThread(Source<T> source) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(source.get());
              } catch (IOException cause) {
                result.completeExceptionally(cause);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return result;
  }

  /** The last characters of a log, when it has ended. */
  private static String readLog(InputStream stream) throws IOException {
    StringBuilder log = new StringBuilder();
    InputStreamReader reader = new InputStreamReader(stream, StandardCharsets.UTF_8);
    char[] buffer = new char[4_096];
    for (int read = reader.read(buffer); read >= 0; read = reader.read(buffer)) {
      log.append(buffer, 0, read);
      log.delete(0, Math.max(0, log.length() - LOG_CHARACTERS));
    }
    return log.toString();
  }

  private static int end(Process process) {
    try {
      process.getOutputStream().close();
    } catch (IOException closed) {
      // It ended by itself, and its end of the pipe is closed.
      process.destroy();
    }
    try {
      return process.waitFor();
    } catch (InterruptedException interrupted) {
      process.destroy();
      throw stopped(interrupted);
    }
  }

  private static MockException stopped(InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new MockException("penknife mock: the thread was interrupted", cause);
  }

  /** Makes a client that trusts the certificate of an authority (PEM), or those of the JDK if it is null. */
  private static HttpClient clientOf(String ca) {
    // A proxy of the system is not meant for a mock.
    HttpClient.Builder builder =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).proxy(HttpClient.Builder.NO_PROXY);
    if (ca == null) return builder.build();
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      ByteArrayInputStream pem = new ByteArrayInputStream(ca.getBytes(StandardCharsets.UTF_8));
      store.setCertificateEntry("mock", CertificateFactory.getInstance("X.509").generateCertificate(pem));
      TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return builder.sslContext(context).build();
    } catch (GeneralSecurityException | IOException cause) {
      throw new MockException("penknife mock: its certificate cannot be used: " + cause.getMessage(), cause);
    }
  }

  private static Map<String, Object> send(
      HttpClient client, String base, String method, String path, Map<String, ?> body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + path))
            .header("content-type", "application/json")
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(write(body)))
            .build();
    HttpResponse<String> answer;
    Map<String, Object> envelope;
    try {
      answer = client.send(request, BodyHandlers.ofString());
      envelope = objectOf(new Reader(answer.body()).read());
    } catch (IOException cause) {
      throw new MockException("penknife mock: " + base + " does not answer: " + cause, cause);
    } catch (InterruptedException cause) {
      throw stopped(cause);
    } catch (IllegalArgumentException cause) {
      throw new MockException("penknife mock: " + base + " is not penknife: " + cause.getMessage(), cause);
    }
    Object error = envelope.get("error");
    if (error == null) return objectOf(envelope.get("data"));
    if (answer.statusCode() == 417) throw new AssertionError(error);
    throw new MockException("penknife mock: " + error, null);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> objectOf(Object value) {
    if (value instanceof Map) return (Map<String, Object>) value;
    throw new IllegalArgumentException("it answered with no JSON object");
  }

  private static String secretOf(Map<String, Object> started) {
    Object webhook = started.get("webhook");
    return webhook == null ? null : (String) objectOf(webhook).get("secret");
  }

  private static List<Map<String, Object>> listOf(Map<String, Object> data, String name) {
    List<Map<String, Object>> list = new ArrayList<>();
    for (Object item : (List<?>) data.get(name)) list.add(objectOf(item));
    return list;
  }

  /** A map, list, text, number, truth value or null as JSON (RFC 8259). */
  static String write(Object value) {
    if (value instanceof Map) {
      List<String> members = new ArrayList<>();
      ((Map<?, ?>) value).forEach((name, member) -> members.add(write(String.valueOf(name)) + ":" + write(member)));
      return "{" + String.join(",", members) + "}";
    }
    if (value instanceof Iterable) {
      List<String> items = new ArrayList<>();
      for (Object item : (Iterable<?>) value) items.add(write(item));
      return "[" + String.join(",", items) + "]";
    }
    if (value == null || value instanceof Number || value instanceof Boolean) return String.valueOf(value);
    if (!(value instanceof CharSequence)) throw new IllegalArgumentException("no JSON: " + value.getClass());
    StringBuilder text = new StringBuilder("\"");
    for (char character : value.toString().toCharArray()) {
      if (character == '"' || character == '\\') text.append('\\').append(character);
      else if (character < ' ' || Character.isSurrogate(character)) text.append(String.format("\\u%04x", (int) character));
      else text.append(character);
    }
    return text.append('"').toString();
  }

  /** Reads JSON (RFC 8259) into maps, lists, texts, longs, doubles, truth values and null. */
  static final class Reader {
    private final String text;
    private int at = 0;

    Reader(String text) {
      this.text = text;
    }

    Object read() {
      Object value = readValue();
      skipSpace();
      if (at < text.length()) throw wrong();
      return value;
    }

    private Object readValue() {
      skipSpace();
      if (takes("{")) return readObject();
      if (takes("[")) return readArray();
      if (takes("\"")) return readText();
      if (takes("true")) return true;
      if (takes("false")) return false;
      if (takes("null")) return null;
      return readNumber();
    }

    private Map<String, Object> readObject() {
      Map<String, Object> object = new LinkedHashMap<>();
      skipSpace();
      if (takes("}")) return object;
      do {
        skipSpace();
        require("\"");
        String name = readText();
        skipSpace();
        require(":");
        object.put(name, readValue());
        skipSpace();
      } while (takes(","));
      require("}");
      return object;
    }

    private List<Object> readArray() {
      List<Object> array = new ArrayList<>();
      skipSpace();
      if (takes("]")) return array;
      do {
        array.add(readValue());
        skipSpace();
      } while (takes(","));
      require("]");
      return array;
    }

    private String readText() {
      StringBuilder read = new StringBuilder();
      while (!takes("\"")) {
        char character = next();
        read.append(character == '\\' ? readEscape() : character);
      }
      return read.toString();
    }

    private char readEscape() {
      char escape = next();
      if (escape == 'u') {
        if (at + 4 > text.length()) throw wrong();
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 4, at), 16);
      }
      int index = "\"\\/bfnrt".indexOf(escape);
      if (index < 0) throw wrong();
      return "\"\\/\b\f\n\r\t".charAt(index);
    }

    private Object readNumber() {
      int start = at;
      while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
      String number = text.substring(start, at);
      if (number.isEmpty()) throw wrong();
      if (number.matches("-?\\d{1,18}")) return Long.parseLong(number);
      return Double.parseDouble(number);
    }

    private void skipSpace() {
      while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private boolean takes(String token) {
      if (!text.startsWith(token, at)) return false;
      at += token.length();
      return true;
    }

    private void require(String token) {
      if (!takes(token)) throw wrong();
    }

    private char next() {
      if (at >= text.length()) throw wrong();
      return text.charAt(at++);
    }

    private IllegalArgumentException wrong() {
      String near = text.substring(Math.min(at, text.length()), Math.min(text.length(), at + 40));
      return new IllegalArgumentException("no JSON at character " + at + ": '" + near + "'");
    }
  }
}
