package acctest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Shows checks an attribute of a data source. The steps lead to a nested value: names of attributes, and indices of
// lists.
func Shows(source string, value knownvalue.Check, attribute string, steps ...any) statecheck.StateCheck {
	path := tfjsonpath.New(attribute)
	for _, step := range steps {
		switch step := step.(type) {
		case int:
			path = path.AtSliceIndex(step)
		case string:
			path = path.AtMapKey(step)
		}
	}
	return statecheck.ExpectKnownValue("data."+source, path, value)
}

// Must ends a test at an error, with which it can't go on.
func Must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Exactly checks a text.
func Exactly(text string) knownvalue.Check { return knownvalue.StringExact(text) }

// Message matches a diagnostic: its summary, then the paragraphs of its detail, regardless of line breaks. "…" stands
// for text that differs between runs.
func Message(headline string, text ...string) *regexp.Regexp {
	paragraphs := make([]string, len(text))
	for i, paragraph := range text {
		paragraphs[i] = words(paragraph)
	}
	// There is no other text between two paragraphs.
	return regexp.MustCompile(`(?s)` + words("Error: "+headline) + `\s.*?` + strings.Join(paragraphs, `\s+`))
}

func words(sentence string) string {
	fields := strings.Fields(sentence)
	for i, field := range fields {
		fields[i] = strings.ReplaceAll(regexp.QuoteMeta(field), "…", `.*?`)
	}
	return strings.Join(fields, `\s+`)
}

// HelpAt is the end of a message: the address of the entry in the troubleshooting guide.
func HelpAt(id string) string {
	return "…Help: https://github.com/leafmesh/terraform-provider-liqo/blob/main/docs/guides/troubleshooting.md#" + id
}

// Ample is the timeout of an operation that cannot end. It is enough for everything that can be done, on any machine,
// while other tests run.
const Ample = "30s"

// Expect checks an attribute of the shortcut from Rome to Milan.
func Expect(attribute string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(RomeMilan, tfjsonpath.New(attribute), value)
}

// Connected checks the status of a shortcut whose tunnel is up.
var Connected = knownvalue.StringExact("Connected")

// IsConnected checks that the tunnel from Rome to Milan is up.
var IsConnected = Expect("status", Connected)

// InPlace checks that the plan updates the shortcut from Rome to Milan.
func InPlace() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(RomeMilan, plancheck.ResourceActionUpdate)},
	}
}

// AsLiqoSays checks that the networks of a shortcut have the values of Liqo's own Configurations. Each is on the other
// leaf.
func (l *Lab) AsLiqoSays(t *testing.T, address, clientName, serverName string) statecheck.StateCheck {
	t.Helper()
	return stateCheck(func(ctx context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
		for attribute, view := range map[string]struct{ at, of string }{
			"client_network": {at: serverName, of: clientName},
			"server_network": {at: clientName, of: serverName},
		} {
			expected := l.configuredAt(ctx, t, view.at, view.of)
			statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), expected).CheckState(ctx, req, resp)
			if resp.Error != nil {
				return
			}
		}
	})
}

// stateCheck is a check of a state as a function.
type stateCheck func(context.Context, statecheck.CheckStateRequest, *statecheck.CheckStateResponse)

// CheckState implements [statecheck.StateCheck].
func (f stateCheck) CheckState(
	ctx context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse,
) {
	f(ctx, req, resp)
}

// Check is a check of what is on the clusters, whatever the state says.
type Check func(context.Context) error

// CheckState implements [statecheck.StateCheck].
func (f Check) CheckState(
	ctx context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse,
) {
	resp.Error = f(ctx)
}

// configuredAt returns the expected network of a cluster, which is in another cluster's Configuration of it.
func (l *Lab) configuredAt(ctx context.Context, t *testing.T, at, of string) knownvalue.Check {
	t.Helper()
	var list networkingv1beta1.ConfigurationList
	err := l.Client(t, at).List(ctx, &list, client.MatchingLabels{consts.RemoteClusterID: l.Cluster(t, of).ClusterID})
	Must(t, err)
	if len(list.Items) != 1 || list.Items[0].Status.Remote == nil {
		t.Fatalf("%s has no Configuration of %s that Liqo has processed", at, of)
	}
	own, remapped := list.Items[0].Spec.Remote.CIDR, list.Items[0].Status.Remote.CIDR
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"pod_cidrs":              knownvalue.ListExact([]knownvalue.Check{Exactly(own.Pod[0].String())}),
		"external_cidr":          Exactly(own.External[0].String()),
		"remapped_pod_cidrs":     knownvalue.ListExact([]knownvalue.Check{Exactly(remapped.Pod[0].String())}),
		"remapped_external_cidr": Exactly(remapped.External[0].String()),
	})
}

// Has checks what a cluster's objects of a kind have at a path, as `kubectl get -o jsonpath` prints it.
func (l *Lab) Has(t *testing.T, cluster string, kind client.ObjectList, path, expected string) Check {
	t.Helper()
	return func(ctx context.Context) error {
		var text strings.Builder
		template := jsonpath.New(path).AllowMissingKeys(true)
		if err := errors.Join(
			l.Client(t, cluster).List(ctx, kind), template.Parse("{.items[*]"+path+"}"), template.Execute(&text, kind),
		); err != nil {
			return err
		}
		if text.String() != expected {
			return fmt.Errorf("%s of each %T on %s is %q, expected %q", path, kind, cluster, &text, expected)
		}
		return nil
	}
}

// KeepsPodCIDR checks that a leaf's only pod CIDR is not remapped.
func KeepsPodCIDR(address, attribute, podCIDR string) statecheck.StateCheck {
	expected := knownvalue.ObjectPartial(map[string]knownvalue.Check{
		"pod_cidrs":          knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(podCIDR)}),
		"remapped_pod_cidrs": knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(podCIDR)}),
	})
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), expected)
}

// GatewaysHaveMTU checks the MTU of the gateways of Rome and Milan themselves.
func (l *Lab) GatewaysHaveMTU(t *testing.T, mtu int) Check {
	t.Helper()
	return func(ctx context.Context) error {
		var all []int
		for _, cluster := range []string{"rome", "milan"} {
			var clients networkingv1beta1.GatewayClientList
			var servers networkingv1beta1.GatewayServerList
			c := l.Client(t, cluster)
			if err := errors.Join(c.List(ctx, &clients), c.List(ctx, &servers)); err != nil {
				return err
			}
			for i := range clients.Items {
				all = append(all, clients.Items[i].Spec.MTU)
			}
			for i := range servers.Items {
				all = append(all, servers.Items[i].Spec.MTU)
			}
		}
		if !slices.Equal(all, []int{mtu, mtu}) {
			return fmt.Errorf("the gateways have the MTUs %v, not both %d", all, mtu)
		}
		return nil
	}
}
