package sandbox

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestAnEchoSaysWhoItIsAndWhomItSees(t *testing.T) {
	request := httptest.NewRequest(http.MethodGet, "http://10.71.1.10/", http.NoBody)
	request.RemoteAddr = "10.71.0.10:40000"
	response := httptest.NewRecorder()
	echo("milan/default/a").ServeHTTP(response, request)
	var got Echo
	want := Echo{Name: "milan/default/a", Source: "10.71.0.10"}
	if err := json.Unmarshal(response.Body.Bytes(), &got); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
}
