package versions

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

const (
	// oldestLiqo is the oldest version of Liqo without a known defect.
	oldestLiqo = "v1.0.1"
	// defectiveLiqo translates addresses in a wrong way.
	defectiveLiqo = "v1.0.0"
)

// oldAndNew has the options of a lab in which Rome has the oldest Liqo, and Milan the newest one.
var oldAndNew = []string{"--cluster=rome=10.202.0.0/16,liqo=" + oldestLiqo, "--cluster=milan=10.203.0.0/16"}

func TestAccMissingObjectsAreRepairedInPlaceWithTheOldestLiqo(t *testing.T) {
	lab := acctest.Borrow(t, oldAndNew)
	lab.Repaired(t, lab.MissingObjects(t)...)
}

func TestAccTheOldestLiqoCanBeTheServerOfTheNewest(t *testing.T) {
	lab := acctest.Borrow(t, oldAndNew)
	from := func(settings string) string {
		return lab.Contexts(`
			data "liqo_topology" "all" {}
			resource "liqo_shortcut" "rome_milan" {
			  client = "milan"
			  server = "rome"
			  ` + settings + `
			}`)
	}
	serves := func(port string) string {
		return `server_gateway = { service_type = "NodePort", node_port = ` + port + ` }` + "\n"
	}
	nodes := tfjsonpath.New("nodes")
	part := func(network string) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(acctest.RomeMilan, tfjsonpath.New(network).AtMapKey("remapped_pod_cidrs"),
			knownvalue.ListSizeExact(1))
	}
	acctest.Apply(t,
		resource.TestStep{
			Config: from(serves("31000")),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, lab.AsLiqoSays(t, acctest.RomeMilan, "milan", "rome"),
				statecheck.ExpectKnownValue("data.liqo_topology.all", nodes.AtSliceIndex(1).AtMapKey("liqo_version"),
					knownvalue.StringExact(oldestLiqo)),
			},
		},
		resource.TestStep{
			Config: from(serves("31001") + "mtu = 1300"), ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected,
				acctest.Expect("mtu", knownvalue.Int32Exact(1300)),
			},
		},
		resource.TestStep{
			Config: from(`server_gateway = { service_annotations = { speed = "fast" } }`),
			ExpectError: regexp.MustCompile(
				`Liqo ` + oldestLiqo + ` on this leaf can't set labels or annotations of a\s+gateway's Service`),
		},
		resource.TestStep{
			Config:           from(serves("31001") + `server_network = { pod_cidrs = ["10.202.0.0/17"] }`),
			ConfigPlanChecks: acctest.InPlace(), // the newest Liqo follows
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, part("server_network"), lab.AsLiqoSays(t, acctest.RomeMilan, "milan", "rome"),
			},
		},
		resource.TestStep{
			Config: from(serves("31001") + `client_network = { pod_cidrs = ["10.203.0.0/17"] }`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(acctest.RomeMilan, plancheck.ResourceActionReplace),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, part("client_network"), lab.AsLiqoSays(t, acctest.RomeMilan, "milan", "rome"),
			},
		},
		resource.TestStep{
			ResourceName: acctest.RomeMilan, ImportState: true, ImportStateId: "milan/rome", ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"owner_id", "on_destroy", "adopt_existing"}, // no leaf shows them
		},
	)
}

func TestAccOnlyOnePodCIDRIsAnnouncedToTheOldestLiqo(t *testing.T) {
	lab := acctest.Borrow(t, oldAndNew)
	const parts = `pod_cidrs = ["10.203.0.0/17", "10.203.128.0/18"]`
	acctest.Apply(t, resource.TestStep{
		Config: lab.Between("milan", acctest.OverNodePort+"\n"+`server_network = { `+parts+` }`),
		ExpectError: regexp.MustCompile(
			`Liqo ` + oldestLiqo + ` on this leaf can reach only one pod CIDR of another\s+cluster`),
	})
}

// The next minor version of Liqo lets a gateway have several ports. Its schemas accept `ports` instead of `port`, but
// not both.
func TestAccAShortcutWorksWithTheSchemasOfTheNextLiqo(t *testing.T) {
	lab := acctest.UseUp(t, acctest.Pair) // the schemas stay
	haveNextSchemas(t, lab, "rome", "gatewayclients.networking.liqo.io")
	haveNextSchemas(t, lab, "milan", "gatewayservers.networking.liqo.io")
	patched := func(patch string) func() {
		return func() {
			lab.PatchInTenant(t, "milan", &networkingv1beta1.GatewayServer{}, patch)
			lab.PatchInTenant(t, "rome", &networkingv1beta1.GatewayClient{}, patch)
		}
	}
	faster := lab.Between("milan", acctest.OverNodePort+"\nmtu = 1300")
	acctest.Apply(t,
		resource.TestStep{ // each leaf has several ports for one kind of gateway only
			Config:      lab.Between("milan", `server_gateway = { service_type = "NodePort", tunnels = 4 }`),
			ExpectError: acctest.Message(`Liqo v1.2.0 can't have several tunnels on leaf "milan"`),
		},
		resource.TestStep{
			Config: lab.Between("milan", acctest.OverNodePort),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, lab.AsLiqoSays(t, acctest.RomeMilan, "rome", "milan"),
			},
		},
		resource.TestStep{
			PreConfig: patched(`{"spec":{"tunnels":2}}`),
			Config:    faster, ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, lab.GatewaysHaveMTU(t, 1300),
				gatewaysHave(t, lab, int64(2), "spec", "tunnels"),
			},
		},
		resource.TestStep{
			PreConfig:    patched(`{"spec":{"endpoint":{"port":null,"ports":[51840,51841]}}}`),
			ResourceName: acctest.RomeMilan, ImportState: true, ImportStateId: "rome/milan",
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.Expect("server_gateway", knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"tunnels": knownvalue.Int32Exact(2),
				})),
			},
		},
		resource.TestStep{
			Config: faster, ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{
				acctest.IsConnected, lab.AsLiqoSays(t, acctest.RomeMilan, "rome", "milan"),
				gatewaysHave(t, lab, nil, "spec", "endpoint", "ports"),
			},
		},
	)
}

// haveNextSchemas changes the schema of a gateway's kind like the next version of Liqo: `port` is optional and excludes
// `ports`. It also adds a field that this provider does not know, `tunnels`.
func haveNextSchemas(t *testing.T, l *acctest.Lab, cluster, name string) {
	t.Helper()
	c := l.Client(t, cluster)
	var definition unstructured.Unstructured
	definition.SetGroupVersionKind(schema.GroupVersionKind{
		Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition",
	})
	if err := c.Get(t.Context(), client.ObjectKey{Name: name}, &definition); err != nil {
		t.Fatal(err)
	}
	versions, _, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
	if err != nil {
		t.Fatal(err)
	}
	spec := []string{"schema", "openAPIV3Schema", "properties", "spec", "properties"}
	endpoint := append(slices.Clone(spec), "endpoint")
	version := versions[0].(map[string]any) //nolint:errcheck,forcetypeassert // as the API says
	for _, change := range []struct {
		value any
		at    []string
	}{
		{map[string]any{"type": "integer"}, append(slices.Clone(spec), "tunnels")},
		{
			map[string]any{"type": "array", "items": map[string]any{"type": "integer"}},
			append(slices.Clone(endpoint), "properties", "ports"),
		},
		{[]any{}, append(slices.Clone(endpoint), "required")},
		{
			[]any{map[string]any{"rule": "!(has(self.port) && has(self.ports))", "message": "only one of them"}},
			append(slices.Clone(endpoint), "x-kubernetes-validations"),
		},
	} {
		if err := unstructured.SetNestedField(version, change.value, change.at...); err != nil {
			t.Fatal(err)
		}
	}
	if err := unstructured.SetNestedSlice(definition.Object, versions, "spec", "versions"); err != nil {
		t.Fatal(err)
	}
	if err := c.Update(t.Context(), &definition); err != nil {
		t.Fatal(err)
	}
}

// gatewaysHave checks a field of Rome's and Milan's gateways that this provider does not know.
func gatewaysHave(t *testing.T, l *acctest.Lab, value any, field ...string) acctest.Check {
	t.Helper()
	return func(ctx context.Context) error {
		for cluster, kind := range map[string]string{"rome": "GatewayClient", "milan": "GatewayServer"} {
			var gateways unstructured.UnstructuredList
			gateways.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(kind + "List"))
			if err := l.Client(t, cluster).List(ctx, &gateways); err != nil {
				return err
			}
			for _, gateway := range gateways.Items {
				if got, _, err := unstructured.NestedFieldNoCopy(gateway.Object, field...); !reflect.DeepEqual(got, value) {
					return fmt.Errorf("%v of %s %s is %v (%w)", field, kind, gateway.GetName(), got, err)
				}
			}
		}
		return nil
	}
}
