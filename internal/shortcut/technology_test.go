package shortcut

import (
	"context"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
)

// madeOfIPsec are the objects of another technology that Liqo has made of the gateways, as these say.
var madeOfIPsec = map[string]corev1.ObjectReference{
	"milan": {
		APIVersion: "networking.liqo.io/v1beta1", Kind: "IPsecGatewayServer", Namespace: "liqo-tenant-rome", Name: "rome",
	},
	"rome": {
		APIVersion: "networking.liqo.io/v1beta1", Kind: "IPsecGatewayClient", Namespace: "liqo-tenant-milan", Name: "milan",
	},
}

// useAnotherTechnology lets the gateway of a leaf say that Liqo has made it of another technology.
func useAnotherTechnology(t *testing.T, leaf *cluster.Leaf) {
	t.Helper()
	server, dialling, reference := clustertest.GatewayServer("rome", 51840), clustertest.GatewayClient("milan"),
		madeOfIPsec[leaf.Name]
	gateway, say := client.Object(server), func() { server.Status.ServerRef = &reference }
	if leaf.Name == "rome" {
		gateway, say = dialling, func() { dialling.Status.ClientRef = &reference }
	}
	must(t, leaf.Clients().Live.Get(t.Context(), client.ObjectKeyFromObject(gateway), gateway))
	say()
	must(t, leaf.Clients().Live.Status().Update(t.Context(), gateway))
}

func TestAGatewayOfAnotherTechnologyIsNotChangedInPlace(t *testing.T) {
	for name, test := range map[string]struct {
		at      string // the leaf with the gateway
		change  func(*Spec)
		refused bool
	}{
		"another MTU":            {"milan", func(s *Spec) { s.MTU = 1400 }, true},
		"another MTU and rules":  {"milan", func(s *Spec) { s.MTU, s.Allow = 1400, &Allow{} }, true},
		"another MTU, in Rome":   {"rome", func(s *Spec) { s.MTU = 1400 }, true},
		"new keys":               {"milan", func(s *Spec) { s.KeyRotation = "first" }, true},
		"what the client dials":  {"rome", func(s *Spec) { s.Server.Port = 51900 }, true},
		"another client":         {"milan", func(s *Spec) { s.Client.ServerPort = 31000 }, false},
		"another template":       {"milan", func(s *Spec) { s.Server.Template = ofAnotherName() }, false},
		"another namespace":      {"milan", func(s *Spec) { s.ServerEnd.Namespace = "own" }, false},
		"rules":                  {"milan", func(s *Spec) { s.Allow = &Allow{} }, false},
		"nothing of the gateway": {"milan", func(s *Spec) { s.ForbidRemapping = true }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rome := liqotest.Leaf(t, "rome", ranges("10.0.0.0/16")...)
				milan := liqotest.Leaf(t, "milan", append(ranges("10.1.0.0/16"), otherTemplate(), clustertest.Namespace("own"))...)
				s, spec := New(rome, milan).OwnedBy(me), overNodePort
				s.connects(t, spec)
				for _, leaf := range []*cluster.Leaf{rome, milan} {
					if leaf.Name == test.at {
						useAnotherTechnology(t, leaf)
					}
				}
				s.connects(t, spec) // what changes no gateway goes on
				before := versions(t, rome, milan)
				test.change(&spec)
				patient, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				err := s.Connect(patient, spec)
				if !test.refused {
					if err != nil {
						t.Error(err)
					}
					return
				}
				summary := `changes are not supported for the technology of this gateway on leaf "` + test.at + `"`
				if explain.Summary(err) != summary || !explain.Refused(err) || !strings.Contains(err.Error(), "terraform taint") {
					t.Errorf("it is not refused: %v", err)
				}
				if after := versions(t, rome, milan); !maps.Equal(after, before) {
					t.Errorf("something was written: %v is %v now", before, after)
				}
			})
		})
	}
}

// ofAnotherName is the template that [otherTemplate] returns.
func ofAnotherName() liqo.Template {
	template := liqo.DefaultTemplate(liqo.ServerRole, "liqo")
	template.Name = otherTemplate().GetName()
	return template
}
