package retry

import (
	"net/http"
	"strings"
	"testing"

	"penknife.example/penknifemock"
)

func lookUp(t *testing.T, url, key string) int {
	request, err := http.NewRequest("GET", url+"/v1/bluetoothlookup?companyid=76", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("x-api-key", key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

func TestACallThatFailsOnceSucceedsWhenItIsRepeated(t *testing.T) {
	mock := penknifemock.Start(t, penknifemock.Options{})
	mock.Fault(penknifemock.Values{"api": "bluetoothlookup", "status": 503, "times": 1})
	if first := lookUp(t, mock.URL, mock.Key); first != 503 {
		t.Error(first)
	}
	if second := lookUp(t, mock.URL, mock.Key); second != 200 {
		t.Error(second)
	}
	mock.Verify(penknifemock.Values{
		"api":   "bluetoothlookup",
		"order": []penknifemock.Values{{"status": 503}, {"status": 200}},
	})
}

func TestVerifySaysWhatCameInstead(t *testing.T) {
	mock := penknifemock.Start(t, penknifemock.Options{})
	lookUp(t, mock.URL, mock.Key)
	err := mock.TryVerify(penknifemock.Values{"api": "hmac", "count": 1})
	if err == nil || !strings.Contains(err.Error(), "#1 GET /v1/bluetoothlookup") {
		t.Error(err)
	}
}
