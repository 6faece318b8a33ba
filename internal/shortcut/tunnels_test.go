package shortcut

import (
	"slices"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
)

// ofTheNextLiqo returns two leaves with the next Liqo.
func ofTheNextLiqo(t *testing.T) (rome, milan *cluster.Leaf) {
	t.Helper()
	rome, milan = liqotest.Leaf(t, "rome", ranges("10.0.0.0/16")...), liqotest.Leaf(t, "milan", ranges("10.1.0.0/16")...)
	for _, leaf := range []*cluster.Leaf{rome, milan} {
		useTemplates(t, clustertest.NextLiqo(leaf), clustertest.NextServerTemplate(), clustertest.NextClientTemplate())
	}
	return rome, milan
}

func TestTunnelsAreAddedAndRemovedInPlace(t *testing.T) {
	rome, milan := ofTheNextLiqo(t)
	atRome, atMilan := countDeletions(rome), countDeletions(milan)
	s, spec := New(rome, milan).OwnedBy(me), overNodePort
	for _, test := range []struct {
		tunnels       int
		port, dialled int32 // of the server, and at the client if it is set there
		reached       []int32
	}{
		{1, 51840, 0, nil},
		{4, 51840, 0, []int32{51840, 51841, 51842, 51843}},
		{4, 51900, 0, []int32{51900, 51901, 51902, 51903}},
		{2, 51900, 31000, []int32{31000, 31001}},
		{1, 51840, 0, nil},
	} {
		spec.Server.Tunnels, spec.Server.Port, spec.Client.ServerPort = test.tunnels, test.port, test.dialled
		for range 2 { // the second time changes nothing
			s.connects(t, spec)
		}
		state, err := s.Observe(t.Context())
		if err != nil || state.Status != Connected || state.ServerGateway.Tunnels != test.tunnels ||
			state.ServerGateway.Port != test.port {
			t.Fatalf("%+v: it is %+v with %+v (%v)", test, state, state.ServerGateway, err)
		}
		n, err := s.find(t.Context())
		if err != nil || !slices.Equal(n.client.Dialled().Ports, test.reached) {
			t.Errorf("%+v: the client dials %+v (%v)", test, n.client.Dialled(), err)
		}
		if changes, err := s.ChangesGateways(t.Context(), spec); err != nil || changes {
			t.Errorf("%+v: it would be changed again (%v)", test, err)
		}
	}
	if atRome.Load() > 0 || atMilan.Load() > 0 {
		t.Errorf("%d objects were deleted on Rome, %d on Milan", atRome.Load(), atMilan.Load())
	}
}

func TestAShortcutIsCreatedWithSeveralTunnels(t *testing.T) {
	rome, milan := ofTheNextLiqo(t)
	s, spec := New(rome, milan).OwnedBy(me), overNodePort
	spec.Server.Tunnels, spec.Server.NodePort, spec.WaitForConnection = 3, 31000, true
	s.connects(t, spec)
	state, err := s.Observe(t.Context())
	if err != nil || state.Status != Connected || state.ServerGateway.Tunnels != 3 ||
		state.ServerGateway.NodePort != 31000 || len(state.ServerEndpoint.Ports) != 3 {
		t.Errorf("it is %+v with %+v (%v)", state, state.ServerGateway, err)
	}
	if err := s.Disconnect(t.Context(), Removal{}); err != nil {
		t.Fatal(err)
	}
}

func TestSeveralTunnelsNeedTheNextLiqoAtBothEnds(t *testing.T) {
	for _, older := range []string{"rome", "milan"} {
		rome := liqotest.Leaf(t, "rome", ranges("10.0.0.0/16")...)
		milan := liqotest.Leaf(t, "milan", ranges("10.1.0.0/16")...)
		for _, leaf := range []*cluster.Leaf{rome, milan} {
			if leaf.Name != older {
				clustertest.NextLiqo(leaf)
			}
		}
		s, spec := New(rome, milan).OwnedBy(me), overNodePort
		spec.Server.Tunnels = 4
		err := s.Connect(t.Context(), spec)
		if explain.Summary(err) != `Liqo can't have several tunnels on leaf "`+older+`"` || !explain.Refused(err) {
			t.Errorf("%s: got %v", older, err)
		}
		if len(versions(t, rome, milan)) > 0 {
			t.Errorf("%s: something was written", older)
		}
		spec.Server.Tunnels = 1
		s.connects(t, spec)
	}
}
