package faults

import (
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

func TestAccMissingObjectsAreRepairedInPlace(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.Repaired(t, append(lab.MissingObjects(t), acctest.Damage{Name: "all but the namespaces", Do: func() {
		for _, cluster := range []string{"rome", "milan"} {
			lab.DeleteFromTenant(t, cluster, &networkingv1beta1.Configuration{})
			lab.DeleteFromTenant(t, cluster, &networkingv1beta1.GatewayServer{})
			lab.DeleteFromTenant(t, cluster, &networkingv1beta1.GatewayClient{})
		}
	}})...)
}

func TestAccAShortcutWithoutAnyObjectIsCreatedAgain(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.Applied(t, lab.Contexts(acctest.ShortcutRomeMilan))
	for at, of := range acctest.Other {
		tenant := acctest.NamespaceNamed("liqo-tenant-" + of)
		acctest.Must(t, acctest.DeleteAndWait(t.Context(), lab.Client(t, at), tenant))
		acctest.Await(t, lab, at, &liqov1beta1.ForeignClusterList{}, of,
			func(record *liqov1beta1.ForeignCluster) bool {
				return !record.Status.Modules.Networking.Enabled // before that, Liqo would create its record again
			})
		record := acctest.Named(&liqov1beta1.ForeignCluster{}, "", of)
		acctest.Must(t, lab.Client(t, at).Delete(t.Context(), record))
	}
	acctest.Says(t, p.Again(), acctest.Created)
	p.IsConnected()
}

// edit is a change of an object of Liqo in the tenant namespace of a cluster.
type edit struct {
	cluster string
	kind    client.Object
	patch   string
}

func TestAccChangesOutsideOfTerraformAreCorrected(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	// Package protocol has each edit alone.
	edited := func(name string, edits ...edit) acctest.Damage {
		return acctest.Damage{Name: name, Do: func() {
			for _, one := range edits {
				lab.PatchInTenant(t, one.cluster, one.kind, one.patch)
			}
		}}
	}
	untilEndpoint := func(has func(port int32) bool) {
		acctest.Await(t, lab, "milan", &networkingv1beta1.GatewayServerList{}, "rome",
			func(gateway *networkingv1beta1.GatewayServer) bool { return has(gateway.Status.Endpoint.Port) })
	}
	const otherRange, otherKey = `{"spec":{"remote":{"cidr":{"pod":["10.222.0.0/16"]}}}}`,
		`{"spec":{"publicKey":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}`
	lab.Repaired(t,
		edited("the gateways' settings",
			edit{"rome", &networkingv1beta1.GatewayClient{}, `{"spec":{"mtu":1200}}`},
			edit{"milan", &networkingv1beta1.GatewayServer{},
				`{"spec":{"mtu":1200,"endpoint":{"port":51999},"serviceLabels":{"team":"other"}}}`}),
		edited("the gateways' templates",
			edit{"milan", &networkingv1beta1.GatewayServer{}, `{"spec":{"serverTemplateRef":{"name":"nothing"}}}`},
			edit{"rome", &networkingv1beta1.GatewayClient{}, `{"spec":{"clientTemplateRef":{"name":"nothing"}}}`}),
		edited("the port that is dialled, and the Configurations",
			edit{"rome", &networkingv1beta1.GatewayClient{}, `{"spec":{"endpoint":{"port":31999}}}`},
			edit{"rome", &networkingv1beta1.Configuration{}, otherRange},
			edit{"milan", &networkingv1beta1.Configuration{}, otherRange}),
		edited("the keys that the gateways trust",
			edit{"rome", &networkingv1beta1.PublicKey{}, otherKey},
			edit{"milan", &networkingv1beta1.PublicKey{}, otherKey}),
		// Liqo corrects a Service by itself, except for the node port. The gateway then has another endpoint, and the client
		// dials the old one.
		acctest.Damage{Name: "the Service's node port", Do: func() {
			patchService(t, lab, `[{"op":"replace","path":"/spec/ports/0/nodePort","value":31998}]`)
			untilEndpoint(func(port int32) bool { return port == 31998 })
		}},
		acctest.Damage{Name: "the Service's type", Do: func() {
			before := lab.GatewayServer(t).Status.Endpoint.Port
			patchService(t, lab, `[{"op":"replace","path":"/spec/type","value":"ClusterIP"}]`)
			untilEndpoint(func(port int32) bool { return port >= 30000 && port < 32768 && port != before })
		}},
	)
}

// patchService changes the Service of Milan's gateway, outside of Terraform and Liqo.
func patchService(t *testing.T, l *acctest.Lab, patch string) {
	t.Helper()
	service := acctest.Named(&corev1.Service{}, "liqo-tenant-rome", "gw-rome")
	acctest.Must(t, l.Client(t, "milan").Patch(t.Context(), service, client.RawPatch(types.JSONPatchType, []byte(patch))))
}
