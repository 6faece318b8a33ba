package main

import (
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/relay"
)

func TestARelayPrintsTheConditionsThatHold(t *testing.T) {
	between, err := relay.Start("127.0.0.1:1", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer between.Close()
	var out strings.Builder
	if err := obey(between, strings.NewReader(`{"delay": 20000000, "cuts": 60} {}`), &out); err != nil {
		t.Fatal(err)
	}
	const want = `{"delay":20000000,"stalls":0,"cuts":60}` + "\n" + `{"delay":0,"stalls":0,"cuts":0}` + "\n"
	if out.String() != want {
		t.Errorf("got %s", out.String())
	}
	if err := obey(between, strings.NewReader(`{"lag": 1}`), &out); err == nil {
		t.Error("a condition that does not exist causes no error")
	}
}
