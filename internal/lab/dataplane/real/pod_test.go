package real

import (
	"slices"
	"testing"
)

func TestAGatewayWaitsOnlyForTheContainersThatTheLabRuns(t *testing.T) {
	args := []string{"--mode=server", "--concurrent-containers-names=wireguard,geneve", "--leader-election=true"}
	want := []string{"--mode=server", "--concurrent-containers-names=wireguard", "--leader-election=true"}
	if got := withoutGeneve(args); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
