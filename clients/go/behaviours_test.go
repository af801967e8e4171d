package penknifemock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

type step struct {
	Do      string
	In      string
	With    any
	Gives   any
	Refused []string
	Invalid bool
}

type table struct {
	Start struct {
		SeedTime string `json:"seed_time"`
		Plan     string
		Seed     Values
	}
	Behaviours []struct {
		Name  string
		Steps []step
	}
}

func TestBehaviours(t *testing.T) {
	text, err := os.ReadFile("../behaviours.json")
	if err != nil {
		t.Fatal(err)
	}
	var all table
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	shared := Start(t, Options{SeedTime: all.Start.SeedTime, Plan: all.Start.Plan, Seed: all.Start.Seed, Webhook: os.Getenv("RECEIVER")})
	same := 0
	for _, behaviour := range all.Behaviours {
		passed := t.Run(behaviour.Name, func(t *testing.T) {
			shared.With(t).Reset()
			mocks := map[string]*Mock{"": shared}
			for index, one := range behaviour.Steps {
				if one.In == "session" && mocks["session"] == nil {
					mocks["session"] = Start(t, Options{Shared: shared.URL})
				}
				for _, problem := range tryStep(t, mocks, one) {
					t.Errorf("step %d, %s: %s", index+1, one.Do, problem)
				}
			}
		})
		if passed {
			same++
		}
	}
	fmt.Printf("%d of %d behaviours are the same in Go\n", same, len(all.Behaviours))
}

// recorder takes the place of a test that a refusal would end.
type recorder struct {
	testing.TB
	err string
}

func (recorder *recorder) Fatal(args ...any) {
	recorder.err = fmt.Sprint(args...)
	runtime.Goexit()
}

func (recorder *recorder) Fatalf(format string, args ...any) {
	recorder.Fatal(fmt.Sprintf(format, args...))
}

// refusalOf runs code that may end its test, and returns the message with which it did; "" if it did not.
func refusalOf(t testing.TB, code func(testing.TB)) string {
	recorder := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		code(recorder)
	}()
	<-done
	return recorder.err
}

func tryStep(t *testing.T, mocks map[string]*Mock, one step) []string {
	var result any
	mock := mocks[one.In]
	refusal := refusalOf(t, func(tb testing.TB) {
		if one.Do == "start" {
			started := Start(tb, optionsOf(t, one.With))
			mocks["started"] = started
			differences := append([]string{}, started.Differences...)
			result = Values{"url": started.URL, "ca": orNil(started.CA), "differences": differences}
		} else {
			result = run(t, mock.With(tb), one)
		}
	})
	if len(one.Refused) == 0 {
		if refusal != "" {
			return []string{"was refused: " + refusal}
		}
		if one.Gives == nil {
			return nil
		}
		return differences(one.Gives, plain(t, result), "")
	}
	if refusal == "" {
		return []string{"was not refused"}
	}
	if one.Do == "verify" {
		fields, _ := one.With.(Values)
		var mismatch *Mismatch
		if errors.As(mock.TryVerify(fields), &mismatch) == one.Invalid {
			return []string{fmt.Sprintf("is a Mismatch: %v", !one.Invalid)}
		}
	}
	return lacking(one.Refused, refusal, "message")
}

// optionsOf are the options of a step. One without a case here is no option of this client.
func optionsOf(t *testing.T, with any) Options {
	options := Options{}
	for name, value := range with.(Values) {
		switch name {
		case "port":
			options.Port = int(value.(float64))
		case "tls":
			for _, host := range value.([]any) {
				options.TLS = append(options.TLS, host.(string))
			}
		case "like":
			options.Like = value.(string)
		case "strict_like":
			options.StrictLike = value.(bool)
		case "graphql":
			options.NoGraphQL = !value.(bool)
		default:
			t.Fatalf("the client has no option %s", name)
		}
	}
	return options
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func run(t *testing.T, mock *Mock, one step) any {
	fields, _ := one.With.(Values)
	text, _ := one.With.(string)
	switch one.Do {
	case "call":
		return call(t, mock, fields)
	case "fault":
		mock.Fault(fields)
	case "stub":
		mock.Stub(fields)
	case "clear":
		mock.Clear()
	case "profile":
		mock.Profile(text)
	case "advance":
		return mock.Advance(text)
	case "set_time":
		return mock.SetTime(text)
	case "dns":
		mock.DNS(fields)
	case "web":
		mock.Web(fields)
	case "requests":
		return mock.Requests(fields)
	case "verify":
		mock.Verify(fields)
	case "notices":
		return mock.Notices()
	case "webhooks":
		count, _ := fields["count"].(float64)
		return mock.Webhooks(textOf(fields, "type"), int(count))
	case "resend":
		return mock.Resend(text)
	case "mails":
		return mock.Mails()
	case "reset":
		mock.Reset()
	default:
		t.Fatalf("the client has no %s", one.Do)
	}
	return nil
}

// call is an HTTP call as a program under test makes it.
func call(t *testing.T, mock *Mock, fields Values) any {
	method := "GET"
	if given := textOf(fields, "method"); given != "" {
		method = given
	}
	var content io.Reader
	if body, ok := fields["body"]; ok {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, mock.URL+textOf(fields, "path"), content)
	if err != nil {
		t.Fatal(err)
	}
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key, ok := fields["key"]; !ok {
		request.Header.Set("X-Api-Key", mock.Key)
	} else if key != nil {
		request.Header.Set("X-Api-Key", key.(string))
	}
	headers, _ := fields["headers"].(Values)
	for name, value := range headers {
		request.Header.Set(name, value.(string))
	}
	answer, err := trusting(mock.CA).Do(request)
	if err != nil {
		return Values{"broken": true}
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return Values{"broken": true}
	}
	result := Values{"status": answer.StatusCode, "text": string(text)}
	lower := Values{}
	for name := range answer.Header {
		lower[strings.ToLower(name)] = answer.Header.Get(name)
	}
	result["headers"] = lower
	var body any
	if json.Unmarshal(text, &body) == nil {
		result["body"] = body
	}
	return result
}

// plain is a value as JSON has it.
func plain(t *testing.T, value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var result any
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

// differences says where a value lacks what is expected. Objects may have more members, arrays may not.
func differences(expected, actual any, path string) []string {
	switch wanted := expected.(type) {
	case Values:
		if texts, ok := wanted["contains"].([]any); ok {
			text, _ := actual.(string)
			var all []string
			for _, one := range texts {
				all = append(all, one.(string))
			}
			return lacking(all, text, path)
		}
		if given, ok := actual.(Values); ok {
			var found []string
			for name, value := range wanted {
				member, has := given[name]
				if !has {
					member = "nothing"
				}
				found = append(found, differences(value, member, path+"."+name)...)
			}
			return found
		}
	case []any:
		if given, ok := actual.([]any); ok && len(given) == len(wanted) {
			var found []string
			for index, value := range wanted {
				found = append(found, differences(value, given[index], fmt.Sprintf("%s[%d]", path, index))...)
			}
			return found
		}
	}
	if reflect.DeepEqual(expected, actual) {
		return nil
	}
	return []string{fmt.Sprintf("%s is %#v, not %#v", path, actual, expected)}
}

func lacking(texts []string, text, path string) []string {
	var found []string
	for _, one := range texts {
		if !strings.Contains(text, one) {
			found = append(found, fmt.Sprintf("%s lacks '%s': %s", path, one, text))
		}
	}
	return found
}

func TestErrorsAtTheStart(t *testing.T) {
	start := func(options Options) string {
		return refusalOf(t, func(tb testing.TB) { Start(tb, options) })
	}
	for text, options := range map[string]Options{
		"mock ended with 2: ":                               {Plan: "gold"},
		"--plan must be one of":                             {Plan: "gold"},
		"/none/penknife cannot be run: ":                    {Command: []string{"/none/penknife"}},
		"/bin/echo is not penknife: it printed 'hello mock": {Command: []string{"/bin/echo", "hello"}},
		"start that with '--plan'":                          {Shared: "http://127.0.0.1:1", Plan: "free"},
		"http://127.0.0.1:1 does not answer":                {Shared: "http://127.0.0.1:1"},
	} {
		if problems := lacking([]string{text}, start(options), "message"); problems != nil {
			t.Error(problems)
		}
	}
	t.Setenv("PENKNIFE_BIN", "")
	t.Setenv("PATH", t.TempDir())
	if problems := lacking([]string{"penknife was not found", "set PENKNIFE_BIN"}, start(Options{}), "message"); problems != nil {
		t.Error(problems)
	}
}

func TestSettingsOfTheShell(t *testing.T) {
	t.Setenv("PENKNIFE_PLAN", "gold")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	mock := Start(t, Options{})
	if requests := mock.Requests(nil); len(requests) != 0 {
		t.Error(requests)
	}
	mock.Stop()
	if _, err := mock.Control("GET", "/_mock", nil); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Error(err)
	}
}

func TestWebhooksThatDoNotCome(t *testing.T) {
	usual := waitTime
	waitTime = 0
	defer func() { waitTime = usual }()
	mock := Start(t, Options{})
	mock.Advance("23d")
	like := Start(t, Options{Like: "http://127.0.0.1:1", SMTP: "smtp://127.0.0.1:1"})
	if len(like.Differences) != 1 {
		t.Error(like.Differences)
	}
	other := refusalOf(t, func(tb testing.TB) { mock.With(tb).Webhooks("credits.low", 1) })
	raised := []string{"0 of 1 webhooks of the type 'credits.low'", "types that were raised: key.expiring"}
	if problems := lacking(raised, other, "message"); problems != nil {
		t.Error(problems)
	}
	text := refusalOf(t, func(tb testing.TB) { mock.With(tb).Webhooks("key.expiring", 1) })
	wanted := []string{"0 of 1 webhooks of the type 'key.expiring' were delivered in 0s", "key.expiring msg_", "is unsent: "}
	if problems := lacking(wanted, text, "message"); problems != nil {
		t.Error(problems)
	}
}
