package inspect

import (
	"maps"
	"testing"
)

const auditLog = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","stage":"RequestReceived",` +
	`"requestURI":"/apis/networking.liqo.io/v1beta1/configurations?limit=500","verb":"list",` +
	`"user":{"username":"operator"},"objectRef":{"resource":"configurations","apiGroup":"networking.liqo.io",` +
	`"apiVersion":"v1beta1"}}
{"stage":"RequestReceived","requestURI":"/apis/networking.liqo.io/v1beta1/configurations?watch=true","verb":"watch",` +
	`"objectRef":{"resource":"configurations","apiGroup":"networking.liqo.io","apiVersion":"v1beta1"}}
{"stage":"RequestReceived","requestURI":"/api/v1/namespaces/liqo","verb":"get",` +
	`"objectRef":{"resource":"namespaces","namespace":"liqo","name":"liqo","apiVersion":"v1"}}
{"stage":"RequestReceived","requestURI":"/api/v1/namespaces/milan","verb":"get",` +
	`"objectRef":{"resource":"namespaces","namespace":"milan","name":"milan","apiVersion":"v1"}}
{"stage":"RequestReceived","requestURI":"/api/v1/nodes/x/status","verb":"patch",` +
	`"objectRef":{"resource":"nodes","name":"x","subresource":"status"}}
{"stage":"RequestReceived","requestURI":"/apis?timeout=32s","verb":"get"}
{"stage":"RequestReceived","requestURI":"/apis?tim`

func TestTheAuditLogIsCountedByVerbAndResource(t *testing.T) {
	got := map[Request]int{}
	if err := countRequests(got, "rome", []byte(auditLog)); err != nil {
		t.Fatal(err)
	}
	want := map[Request]int{
		{"rome", "list", "configurations.networking.liqo.io"}:  1,
		{"rome", "watch", "configurations.networking.liqo.io"}: 1,
		{"rome", "get", "namespaces"}:                          2,
		{"rome", "patch", "nodes/status"}:                      1,
		{"rome", "get", "/apis"}:                               1,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func TestRequestsAreSortedByClusterVerbAndResource(t *testing.T) {
	got := SortedRequests(map[Request]int{{"rome", "get", "b"}: 1, {"milan", "list", "a"}: 1, {"rome", "get", "a"}: 1})
	want := []Request{{"milan", "list", "a"}, {"rome", "get", "a"}, {"rome", "get", "b"}}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestALineThatIsNoEventIsAnError(t *testing.T) {
	if err := countRequests(map[Request]int{}, "rome", []byte("no JSON\n")); err == nil {
		t.Error("no error")
	}
}
