package main

import (
	"strings"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
)

func TestAChainHasOnlyRequestsThatCanHaveWaitedForTheOneBefore(t *testing.T) {
	began := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	arrival := func(milliseconds int, resource string) inspect.Arrival {
		return inspect.Arrival{
			Request: inspect.Request{Cluster: "rome", Verb: "list", Resource: resource},
			At:      began.Add(time.Duration(milliseconds) * time.Millisecond),
		}
	}
	var out strings.Builder
	writeChain(&out, "it", chainOf([]inspect.Arrival{
		arrival(400, "configmaps"), arrival(420, "networks"), arrival(500, "beside"), arrival(615, "leases"),
		arrival(1015, "secrets"),
	}, began, 200*time.Millisecond))
	const want = "it: which request waited for which, in round trips after the one before\n" +
		"   +2.1  rome: list networks, and 1 more\n" +
		"   +1.0  rome: list leases\n" +
		"   +2.0  rome: list secrets\n"
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
	if chain := chainOf(nil, began, time.Second); len(chain) > 0 {
		t.Errorf("nothing was asked, and the chain is %v", chain)
	}
}
