// Package penknifemock starts penknife as a test double from a test in Go 1.19 or newer. It needs the standard library alone.
//
//	func TestRetry(t *testing.T) {
//		mock := penknifemock.Start(t, penknifemock.Options{})
//		mock.Fault(penknifemock.Values{"api": "hmac", "status": 503, "times": 1})
//		// call mock.URL with the header x-api-key: mock.Key
//		mock.Verify(penknifemock.Values{"api": "hmac", "count": 2})
//	}
//
// A call that the mock refuses ends the test, and the message says what to change.
package penknifemock

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	startTime = 30 * time.Second
	logBytes  = 16_384
)

// A variable for the tests of this package.
var waitTime = 5 * time.Second

// Values are the fields of a request to the mock, or of one of its answers. docs/mock.md lists them.
type Values = map[string]any

// Options say how Start starts the mock; each may be left out. The settings of the shell (PENKNIFE_PLAN, …) have no effect.
type Options struct {
	// Port to listen on; by default a free one.
	Port int
	// SeedTime is the clock at the start, such as 2025-01-01T00:00:00Z, the default.
	SeedTime string
	// Clock is "stopped", the default, or "real".
	Clock string
	// DNS is the path of a YAML file with the DNS records to answer with.
	DNS string
	// Web is the path of a YAML file with what other hosts answer over HTTPS.
	Web string
	// Seed is the state at the start: the path of a file, or its content as Values.
	Seed any
	// Plan of the key Mock.Key; "pro" by default.
	Plan string
	// TLS are host names to serve TLS for. Clients must trust Mock.CA.
	TLS []string
	// APIs is a folder with APIs of your own, which the mock serves too.
	APIs string
	// Like is the URL of a running service to compare with at the start; see Mock.Differences.
	Like string
	// StrictLike does not start if something differs from the service of Like, or that could not be found out.
	StrictLike bool
	// SMTP is a mail catcher on this machine, such as smtp://127.0.0.1:1025, which gets the mails.
	SMTP string
	// Webhook is the URL of a receiver of webhooks on this machine.
	Webhook string
	// WebhookTime is whose time signs webhooks: "machine", the default, or "mock".
	WebhookTime string
	// NoGraphQL turns GraphQL off.
	NoGraphQL bool
	// Shared is the URL of a running mock: a session of it is used, and no process started. It goes with no other option.
	Shared string
	// Command is the program with its first arguments; by default PENKNIFE_BIN, else penknife on the PATH.
	Command []string
}

// Mock is a running mock.
type Mock struct {
	// URL is where it listens, such as http://127.0.0.1:41273.
	URL string
	// Key is a valid API key on the plan of Options.Plan.
	Key string
	// CA is the certificate of its authority (PEM) with Options.TLS, else "".
	CA string
	// WebhookSecret signs the messages to Options.Webhook; "" without that.
	WebhookSecret string
	// Differences say how it differs from the service of Options.Like, a sentence each.
	Differences []string

	tb     testing.TB
	client *http.Client
	end    func()
}

// A Mismatch is the error of TryVerify when calls came otherwise than expected. Its text says what came instead.
type Mismatch struct{ text string }

func (mismatch *Mismatch) Error() string { return mismatch.text }

// Start starts a mock and returns it when it answers. It ends with the test, and with this process. The test fails at once when
// penknife is not found or does not start.
func Start(tb testing.TB, options Options) *Mock {
	tb.Helper()
	mock, err := open(options)
	if err != nil {
		tb.Fatal(err)
	}
	mock.tb = tb
	tb.Cleanup(mock.Stop)
	return mock
}

// With returns the same mock, which ends another test when it refuses a call: a subtest.
func (mock *Mock) With(tb testing.TB) *Mock {
	other := *mock
	other.tb = tb
	return &other
}

// Fault makes calls fail.
func (mock *Mock) Fault(fault Values) {
	mock.tb.Helper()
	mock.must("PUT", "/_mock/faults", fault)
}

// Stub sets a fixed answer.
func (mock *Mock) Stub(stub Values) {
	mock.tb.Helper()
	mock.must("PUT", "/_mock/stubs", stub)
}

// Clear removes all faults and stubs.
func (mock *Mock) Clear() {
	mock.tb.Helper()
	mock.must("DELETE", "/_mock/faults", nil)
	mock.must("DELETE", "/_mock/stubs", nil)
}

// Profile sets a named set of faults, such as "flaky" or "outage"; "ok" removes it.
func (mock *Mock) Profile(name string) {
	mock.tb.Helper()
	mock.must("PUT", "/_mock/profile", Values{"name": name})
}

// Advance moves the clock forward by a time such as "90s", "15m", "24h" or "31d". It returns the new time (ISO 8601).
func (mock *Mock) Advance(time string) string {
	mock.tb.Helper()
	return textOf(mock.must("PUT", "/_mock/clock", Values{"advance": time}), "now")
}

// SetTime sets the clock to an instant such as "2025-03-01T12:00:00Z". It returns the new time.
func (mock *Mock) SetTime(now string) string {
	mock.tb.Helper()
	return textOf(mock.must("PUT", "/_mock/clock", Values{"now": now}), "now")
}

// DNS replaces all DNS records.
func (mock *Mock) DNS(zone Values) {
	mock.tb.Helper()
	mock.must("PUT", "/_mock/dns", zone)
}

// Web replaces all that other hosts answer over HTTPS.
func (mock *Mock) Web(replies Values) {
	mock.tb.Helper()
	mock.must("PUT", "/_mock/web", replies)
}

// Requests returns the requests with their answers, oldest first. Conditions are api, status and key; nil has none. The test
// ends when the mock no longer keeps the oldest requests.
func (mock *Mock) Requests(conditions Values) []Values {
	mock.tb.Helper()
	query := url.Values{}
	for name, value := range conditions {
		query.Set(name, fmt.Sprint(value))
	}
	journal := mock.must("GET", "/_mock/requests?"+query.Encode(), nil)
	if dropped, _ := journal["dropped"].(float64); dropped > 0 {
		mock.tb.Fatalf("penknife mock: the %v oldest of %v requests are no longer kept; call Reset between tests", dropped, journal["total"])
	}
	return listOf(journal, "requests")
}

// Verify ends the test if calls came otherwise than expected; the message says what came instead. docs/mock.md lists the fields.
func (mock *Mock) Verify(expected Values) {
	mock.tb.Helper()
	if err := mock.TryVerify(expected); err != nil {
		mock.tb.Fatal(err)
	}
}

// TryVerify is Verify with an error instead of the end of the test: a *Mismatch if calls came otherwise.
func (mock *Mock) TryVerify(expected Values) error {
	_, err := mock.Control("POST", "/_mock/verify", expected)
	return err
}

// Notices returns the webhook messages, oldest first, with the attempts to deliver them.
func (mock *Mock) Notices() []Values {
	mock.tb.Helper()
	return listOf(mock.must("GET", "/_mock/notices", nil), "notices")
}

// Webhooks waits until count webhook messages of a kind ("" for any kind) are delivered, and returns all that are. The test ends
// when there are fewer after 5 seconds of real time.
func (mock *Mock) Webhooks(kind string, count int) []Values {
	mock.tb.Helper()
	for until := time.Now().Add(waitTime); ; time.Sleep(20 * time.Millisecond) {
		var delivered []Values
		others := ""
		var types []string
		for _, notice := range mock.Notices() {
			if name := fmt.Sprint(notice["type"]); !strings.Contains(" "+strings.Join(types, " ")+" ", " "+name+" ") {
				types = append(types, name)
			}
			if kind != "" && kind != notice["type"] {
				continue
			}
			if notice["state"] == "delivered" {
				delivered = append(delivered, notice)
			} else {
				reason := notice["reason"]
				if reason == nil {
					reason = "no answer so far"
				}
				others += fmt.Sprintf("\n  %v %v is %v: %v", notice["type"], notice["id"], notice["state"], reason)
			}
		}
		if len(delivered) >= count {
			return delivered
		}
		if time.Now().After(until) {
			if len(delivered) == 0 && others == "" {
				others = "\n  types that were raised: " + strings.Join(types, ", ")
				if len(types) == 0 {
					others += "none"
				}
			}
			mock.tb.Fatalf("penknife mock: %d of %d webhooks of the type '%s' were delivered in %v%s", len(delivered), count, kind, waitTime, others)
		}
	}
}

// Resend sends a webhook message or a mail again, with the same id, and returns it.
func (mock *Mock) Resend(id string) Values {
	mock.tb.Helper()
	list := "notices"
	if strings.HasPrefix(id, "mail_") {
		list = "mails"
	}
	return mock.must("PUT", "/_mock/"+list+"/"+url.PathEscape(id)+"/resend", nil)
}

// Mails returns the mails, oldest first, with text, HTML, link and the attempts to send them.
func (mock *Mock) Mails() []Values {
	mock.tb.Helper()
	return listOf(mock.must("GET", "/_mock/mails", nil), "mails")
}

// Reset restores the state at the start.
func (mock *Mock) Reset() {
	mock.tb.Helper()
	mock.must("POST", "/_mock/reset", nil)
}

// Stop ends the mock, or the session of a shared one. Start does it at the end of the test.
func (mock *Mock) Stop() { mock.end() }

// Control sends a request to a control path, and returns the data of the answer.
func (mock *Mock) Control(method, path string, body Values) (Values, error) {
	return control(mock.client, mock.URL, method, path, body)
}

func (mock *Mock) must(method, path string, body Values) Values {
	mock.tb.Helper()
	data, err := mock.Control(method, path, body)
	if err != nil {
		mock.tb.Fatal(err)
	}
	return data
}

func open(options Options) (*Mock, error) {
	arguments, err := argumentsOf(options)
	if err != nil {
		return nil, err
	}
	if options.Shared == "" {
		return startProcess(options.Command, arguments)
	}
	if given := append(arguments, options.Command...); len(given) > 0 {
		return nil, fmt.Errorf("penknife mock: Shared uses a mock that runs already: start that with '%s'", given[0])
	}
	base := strings.TrimSuffix(options.Shared, "/")
	client := trusting("")
	session, err := control(client, base, "POST", "/_mock/sessions", nil)
	if err != nil {
		return nil, err
	}
	id := textOf(session, "id")
	end := func() { _, _ = control(client, base, "DELETE", "/_mock/sessions/"+id, nil) }
	// It is reached below the address that was given, also if the mock sees another.
	webhook, _ := session["webhook"].(map[string]any)
	return &Mock{
		URL:           base + "/s/" + id,
		Key:           textOf(session, "key"),
		WebhookSecret: textOf(webhook, "secret"),
		client:        client,
		end:           end,
	}, nil
}

func argumentsOf(options Options) ([]string, error) {
	var arguments []string
	add := func(flag, value string) {
		if value != "" {
			arguments = append(arguments, flag, value)
		}
	}
	if options.Port != 0 {
		add("--port", strconv.Itoa(options.Port))
	}
	add("--seed-time", options.SeedTime)
	add("--clock", options.Clock)
	add("--dns", options.DNS)
	add("--web", options.Web)
	if content, ok := options.Seed.(Values); ok {
		text, err := json.Marshal(content)
		if err != nil {
			return nil, fmt.Errorf("penknife mock: the seed is no JSON: %w", err)
		}
		add("--seed", string(text))
	} else if options.Seed != nil {
		add("--seed", fmt.Sprint(options.Seed))
	}
	add("--plan", options.Plan)
	add("--tls-self-signed", strings.Join(options.TLS, ","))
	add("--apis", options.APIs)
	add("--like", options.Like)
	if options.StrictLike {
		arguments = append(arguments, "--strict-like")
	}
	add("--smtp", options.SMTP)
	add("--webhook", options.Webhook)
	add("--webhook-time", options.WebhookTime)
	if options.NoGraphQL {
		arguments = append(arguments, "--no-graphql")
	}
	return arguments, nil
}

func findCommand() ([]string, error) {
	if named := os.Getenv("PENKNIFE_BIN"); named != "" {
		return []string{named}, nil
	}
	if found, err := exec.LookPath("penknife"); err == nil {
		return []string{found}, nil
	}
	return nil, errors.New("penknife was not found: build it with 'bun run build' in its repository, and set PENKNIFE_BIN to the path of dist/penknife, or put it on the PATH.")
}

func startProcess(command, arguments []string) (*Mock, error) {
	if len(command) == 0 {
		found, err := findCommand()
		if err != nil {
			return nil, err
		}
		command = found
	}
	all := append(append([]string{}, command[1:]...), "mock", "--json", "--stop-with-stdin", "--port", "0")
	process := exec.Command(command[0], append(all, arguments...)...)
	process.Env = withoutSettings(os.Environ())
	log := &lastBytes{}
	process.Stderr = log
	// Its standard input closes when this process ends, so that the mock ends too when a test run is killed.
	input, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	line := make(chan string, 1)
	process.Stdout = &firstLine{line: line}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot be run: %w. Look at PENKNIFE_BIN.", command[0], err)
	}
	ended := make(chan struct{})
	go func() {
		_ = process.Wait()
		close(ended)
	}()
	stop := func() {
		_ = input.Close()
		<-ended
	}
	kill := func() {
		_ = process.Process.Kill()
		<-ended
	}
	var text string
	select {
	case text = <-line:
	case <-ended:
		select {
		// It may have printed a line before.
		case text = <-line:
		default:
			return nil, fmt.Errorf("%s mock ended with %d: %s", command[0], process.ProcessState.ExitCode(), log)
		}
	case <-time.After(startTime):
		kill()
		return nil, fmt.Errorf("%s mock did not start within %v: %s", command[0], startTime, log)
	}
	event := struct {
		URL, Key, CA string
		Webhook      struct{ Secret string }
		Differences  []string
	}{}
	if err := json.Unmarshal([]byte(text), &event); err != nil || event.URL == "" {
		kill()
		return nil, fmt.Errorf("%s is not penknife: it printed '%.200s'", command[0], text)
	}
	return &Mock{
		URL:           event.URL,
		Key:           event.Key,
		CA:            event.CA,
		WebhookSecret: event.Webhook.Secret,
		Differences:   event.Differences,
		client:        trusting(event.CA),
		end:           stop,
	}, nil
}

// The settings of the shell are meant for services that are started there.
func withoutSettings(environment []string) []string {
	var kept []string
	for _, setting := range environment {
		if !strings.HasPrefix(strings.ToUpper(setting), "PENKNIFE_") {
			kept = append(kept, setting)
		}
	}
	return kept
}

type lastBytes struct{ bytes []byte }

func (last *lastBytes) Write(more []byte) (int, error) {
	last.bytes = append(last.bytes, more...)
	if excess := len(last.bytes) - logBytes; excess > 0 {
		last.bytes = last.bytes[excess:]
	}
	return len(more), nil
}

func (last *lastBytes) String() string { return strings.TrimSpace(string(last.bytes)) }

// firstLine hands over the first line that is written to it, and forgets the rest.
type firstLine struct {
	text string
	line chan<- string
}

func (first *firstLine) Write(more []byte) (int, error) {
	if first.line != nil {
		first.text += string(more)
		if end := strings.IndexByte(first.text, '\n'); end >= 0 {
			first.line <- first.text[:end]
			first.line = nil
		}
	}
	return len(more), nil
}

// trusting makes a client for a mock with the certificate of an authority (PEM), or "" for those of the system. A proxy of the
// environment is not meant for a mock.
func trusting(ca string) *http.Client {
	transport := &http.Transport{Proxy: nil, DisableKeepAlives: true}
	if ca != "" {
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM([]byte(ca))
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	return &http.Client{Transport: transport}
}

func control(client *http.Client, base, method, path string, body Values) (Values, error) {
	var content []byte
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("penknife mock: the fields are no JSON: %w", err)
		}
		content = text
	}
	request, err := http.NewRequest(method, strings.TrimSuffix(base, "/")+path, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("penknife mock: %s does not answer: %w", base, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("penknife mock: %s does not answer: %w", base, err)
	}
	envelope := struct {
		Error *string
		Data  Values
	}{}
	if err := json.Unmarshal(text, &envelope); err != nil {
		return nil, fmt.Errorf("penknife mock: %s is not penknife: it answered '%.200s'", base, text)
	}
	if envelope.Error == nil {
		return envelope.Data, nil
	}
	if answer.StatusCode == http.StatusExpectationFailed {
		return nil, &Mismatch{*envelope.Error}
	}
	return nil, errors.New("penknife mock: " + *envelope.Error)
}

func textOf(values Values, name string) string {
	text, _ := values[name].(string)
	return text
}

func listOf(values Values, name string) []Values {
	items, _ := values[name].([]any)
	list := make([]Values, 0, len(items))
	for _, item := range items {
		if object, ok := item.(Values); ok {
			list = append(list, object)
		}
	}
	return list
}
