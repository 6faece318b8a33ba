package provider

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// These tests follow every setting of a liqo_shortcut from a configuration through the plan to the objects on two
// leaves, and back into the state. They find the settings in the schema. So a new setting fails these tests until every
// step has it.

// noLeafShows lists the settings that no leaf shows, by dotted path. Changes on a leaf never change them.
var noLeafShows = map[string]struct {
	why    string
	actsOn bool // whether the work on the leaves depends on it, although the leaves do not show it
}{
	"client":                  {"a leaf does not know its name in the provider block", false},
	"server":                  {"a leaf does not know its name in the provider block", false},
	"timeouts.create":         {"only Terraform waits", false},
	"timeouts.read":           {"only Terraform waits", false},
	"timeouts.update":         {"only Terraform waits", false},
	"timeouts.delete":         {"only Terraform waits", false},
	"abandon_lost_cluster":    {"it is about lost leaves", false},
	"destroy_peering_network": {"it is about a later destroy", true},
	"on_destroy":              {"it is about a later destroy", true},
	"wait_for_connection":     {"the tunnel comes up with and without a wait", true},
	"cidr_remapping":          {"a remapping that was allowed but not needed leaves no trace", true},
}

// settings returns the attributes that a configuration can set, by dotted path.
func settings(attributes map[string]schema.Attribute, prefix string) []string {
	var paths []string
	for name, attribute := range attributes {
		if nested, ok := attribute.(schema.SingleNestedAttribute); ok && (nested.Optional || nested.Required) {
			paths = append(paths, settings(nested.Attributes, prefix+name+".")...)
		} else if attribute.IsOptional() || attribute.IsRequired() {
			paths = append(paths, prefix+name)
		}
	}
	slices.Sort(paths)
	return paths
}

// shownSettings returns the settings that a leaf shows.
func shownSettings(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(settings(shortcutSchema().Attributes, ""), func(setting string) bool {
		_, listed := noLeafShows[setting]
		return listed
	})
}

// starts returns minimal configurations in which every setting is accepted. Both leaves have the namespaces and Secrets
// that the configurations and the candidates name.
func starts() []values {
	least := values{
		"client": text("rome"), "server": text("milan"), "client_namespace": text("own"), "server_namespace": text("own"),
	}
	overNodePort := maps.Clone(least)
	overNodePort["server_gateway.service_type"] = text("NodePort")
	replicated, together := maps.Clone(least), maps.Clone(least)
	replicated["client_gateway.pods.replicas"], replicated["server_gateway.pods.replicas"] = number(3), number(3)
	together["pods.replicas"] = number(3)
	return []values{least, overNodePort, replicated, together}
}

// parts are parts of the leaves' address ranges. A leaf does not announce other ranges.
var parts = map[string]tftypes.Value{
	"client_network.pod_cidrs": text("10.1.128.0/17"), "client_network.external_cidr": text("10.2.0.0/17"),
	"server_network.pod_cidrs": text("10.3.128.0/17"), "server_network.external_cidr": text("10.4.0.0/17"),
}

// candidates returns values of a type. The setting must accept at least one of them.
func candidates(setting string, kind tftypes.Type) []tftypes.Value {
	texts := []tftypes.Value{
		text("other"), text("192.0.2.10"), text("3m"), text("NodePort"), text(remappingForbidden), text(destroyDisconnects),
		text(liqo.DefaultServerTemplateResource), text(liqo.DefaultClientTemplateResource),
	}
	if part, ok := parts[setting]; ok {
		texts = []tftypes.Value{part}
	}
	switch {
	case setting == "allow":
		return []tftypes.Value{onlyRule(values{"protocol": text(liqo.ICMP)})}
	case kind.Is(tftypes.String):
		return texts
	case kind.Is(tftypes.Number):
		return []tftypes.Value{number(1400), number(31000), number(2)}
	case strings.HasSuffix(setting, "pods.tolerations"):
		return []tftypes.Value{someTolerations()}
	case strings.HasSuffix(setting, "pods.resources"):
		return []tftypes.Value{someResourcesOf("gateway")}
	case kind.Is(tftypes.Bool):
		return []tftypes.Value{boolean(true), boolean(false)}
	}
	var all []tftypes.Value
	for _, one := range texts {
		switch {
		case kind.Is(tftypes.Map{}):
			all = append(all, tftypes.NewValue(kind, map[string]tftypes.Value{"other": one}))
		case kind.Is(tftypes.List{}):
			all = append(all, tftypes.NewValue(kind, []tftypes.Value{one}))
		}
	}
	return all
}

// someTolerations and someResourcesOf return values of settings of pods.
func someTolerations() tftypes.Value {
	kind := podsTypes["tolerations"].TerraformType(context.Background())
	one := values{"key": text("example.com/edge"), "operator": text("Exists")}
	of := kind.(tftypes.List).ElementType.(tftypes.Object) //nolint:errcheck,forcetypeassert // the schema says so
	return tftypes.NewValue(kind, []tftypes.Value{one.of(of)})
}

func someResourcesOf(container string) tftypes.Value {
	kind := podsTypes["resources"].TerraformType(context.Background())
	one := values{"limits": textByName("cpu", text("500m"))}
	of := kind.(tftypes.Map).ElementType.(tftypes.Object) //nolint:errcheck,forcetypeassert // the schema says so
	return tftypes.NewValue(kind, map[string]tftypes.Value{container: one.of(of)})
}

// change returns a configuration and another one that differs only in this setting.
func change(t *testing.T, setting string) (before, after values) {
	t.Helper()
	whole := shortcutType()
	kind := valuesOf(t, tftypes.NewValue(whole, nil))[setting].Type()
	for _, before := range starts() {
		if pods, isLease := strings.CutSuffix(setting, "lease_duration"); isLease && before[pods+"replicas"].IsNull() {
			continue // a template of one replica has no lease to set
		}
		after := maps.Clone(before)
		if _, isSet := before[setting]; !isSet {
			after[setting] = tftypes.NewValue(kind, nil) // the block exists
		}
		usual := valuesOf(t, planned(t, after.of(whole)))[setting]
		for _, candidate := range candidates(setting, kind) {
			after[setting] = candidate
			if !candidate.Equal(usual) && validated(t, after.of(whole)) == "" {
				return before, after
			}
		}
	}
	t.Fatalf("%s accepts no candidate: add one and, if it needs other settings, a start", setting)
	return nil, nil
}

// joined is a shortcut after a configuration was applied.
type joined struct {
	plan    shortcutModel
	spec    shortcut.Spec
	planned values
	leaves  pair
	between *shortcut.Shortcut
	found   shortcut.State // on the leaves
}

func join(t *testing.T, configured values) joined {
	t.Helper()
	config := configured.of(shortcutType())
	plan := planned(t, config)
	model, configuration := modelsOf(t, plan, config)
	spec := model.spec(t.Context(), &configuration)
	leaves := pair{
		client: leafOfLiqos(t, "rome", "10.1.0.0/16", "10.2.0.0/16"),
		server: leafOfLiqos(t, "milan", "10.3.0.0/16", "10.4.0.0/16"),
	}
	between := shortcut.New(leaves.client, leaves.server).OwnedBy(owner.Owner{Token: "mine"})
	must(t, between.Connect(t.Context(), spec))
	found, err := between.Observe(t.Context())
	must(t, err)
	return joined{model, spec, valuesOf(t, plan), leaves, between, found}
}

// modelsOf returns the models of a plan and of its configuration.
func modelsOf(t *testing.T, plan, config tftypes.Value) (planned, configured shortcutModel) {
	t.Helper()
	sound(t, tfsdk.Plan{Schema: shortcutSchema(), Raw: plan}.Get(t.Context(), &planned))
	sound(t, tfsdk.Config{Schema: shortcutSchema(), Raw: config}.Get(t.Context(), &configured))
	return planned, configured
}

// leafOfLiqos returns a leaf with everything that [starts] and [candidates] name.
func leafOfLiqos(t *testing.T, name, podCIDR, externalCIDR string) *cluster.Leaf {
	t.Helper()
	leaf := clustertest.NextLiqo(liqotest.Leaf(t, name, clustertest.Ranges(podCIDR, externalCIDR)...))
	for _, namespace := range []string{"own", "other"} {
		for _, object := range []object{
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, liqotest.KeySecret(t, namespace, "other"),
		} {
			must(t, leaf.Clients().Live.Create(t.Context(), object))
		}
	}
	clustertest.AddEmptyTemplates(t, leaf, map[string][]string{
		"liqo":  {"other", "wireguard-client", "wireguard-server"},
		"other": {"wireguard-client", "wireguard-server"},
	})
	return leaf
}

// seen returns the state after a refresh of an earlier state.
func (j joined) seen(t *testing.T, earlier shortcutModel) (shortcutModel, values) {
	t.Helper()
	earlier.observed(t.Context(), j.found)
	state := noState(t)
	sound(t, state.Set(t.Context(), &earlier))
	return earlier, valuesOf(t, state.Raw)
}

// imported returns the state that an import writes before the first refresh.
func (j joined) imported(t *testing.T) shortcutModel {
	t.Helper()
	state := noState(t)
	sound(t, setAttributes(t.Context(), &state, j.leaves.importedAttributes()))
	var model shortcutModel
	sound(t, state.Get(t.Context(), &model))
	return model
}

func noState(t *testing.T) tfsdk.State {
	t.Helper()
	return tfsdk.State{Schema: shortcutSchema(), Raw: tftypes.NewValue(shortcutType(), nil)}
}

// becomes changes a shortcut to what another one is, and then removes it.
func (j joined) becomes(t *testing.T, other joined) {
	t.Helper()
	recorded, _ := j.seen(t, j.plan)
	must(t, j.between.Connect(t.Context(), recorded.after(other.spec)))
	found, err := j.between.Observe(t.Context())
	if err != nil || !reflect.DeepEqual(found, other.found) {
		t.Errorf("the changed one is %+v (%v)\nthe new one is     %+v", found, err, other.found)
	}
	last, _ := other.seen(t, other.plan)
	must(t, j.between.Disconnect(t.Context(), last.removal()))
	if left, err := j.between.Observe(t.Context()); err != nil || left.Exists || left.Joined {
		t.Errorf("after the destroy there is %+v (%v)", left, err)
	}
}

func TestEverySettingGoesToTheLeavesAndBackAndAChangedShortcutIsLikeANewOne(t *testing.T) {
	for _, setting := range shownSettings(t) {
		t.Run(setting, func(t *testing.T) {
			before, after := change(t, setting)
			usual, changed := join(t, before), join(t, after)
			recorded, usually := usual.seen(t, usual.plan)
			for story, earlier := range map[string]shortcutModel{
				"after an apply":                      changed.plan,
				"after a change outside of Terraform": recorded,
				"after an import":                     changed.imported(t),
			} {
				_, now := changed.seen(t, earlier)
				for _, each := range shownSettings(t) {
					expected := changed.planned[each]
					if !expected.IsKnown() { // the leaves decide
						expected = usually[each]
					}
					if !now[each].Equal(expected) {
						t.Errorf("%s, %s shows as %s, expected %s", story, each, now[each], expected)
					}
				}
			}
			if usually[setting].Equal(changed.planned[setting]) {
				t.Errorf("it is %s although it is not set", usually[setting])
			}
			if applied, _ := changed.seen(t, changed.plan); applied.changesSettingsOnly(t.Context(), &recorded) {
				t.Error("a change of it does not reach the leaves")
			}
			usual.becomes(t, changed)
		})
	}
}

func TestASettingThatNoLeafShowsIsListedWithReason(t *testing.T) {
	all := settings(shortcutSchema().Attributes, "")
	for setting, listed := range noLeafShows {
		t.Run(setting, func(t *testing.T) {
			if !slices.Contains(all, setting) {
				t.Fatal("there is no such setting")
			}
			before, after := change(t, setting)
			usual, changed := join(t, before), join(t, after)
			recorded, usually := usual.seen(t, usual.plan)
			if _, now := changed.seen(t, recorded); !now[setting].Equal(usually[setting]) {
				t.Errorf("a leaf shows that it is %s, but it is listed: %s", now[setting], listed.why)
			}
			applied, now := changed.seen(t, changed.plan)
			if !now[setting].Equal(changed.planned[setting]) {
				t.Errorf("it was set to %s, but is %s", changed.planned[setting], now[setting])
			}
			sameSpec := reflect.DeepEqual(usual.spec, changed.spec)
			if actsOn := !sameSpec || !reflect.DeepEqual(usual.plan.removal(), changed.plan.removal()); actsOn != listed.actsOn {
				t.Errorf("the work on the leaves depends on it: %t", actsOn)
			}
			noWait := setting == "wait_for_connection" // without a change on a leaf
			if (sameSpec || noWait) && !applied.changesSettingsOnly(t.Context(), &recorded) {
				t.Error("a change of it needs the leaves")
			}
			if _, now := usual.seen(t, usual.imported(t)); !now[setting].Equal(usually[setting]) {
				t.Errorf("after an import it is %s, but the default is %s", now[setting], usually[setting])
			}
		})
	}
}
