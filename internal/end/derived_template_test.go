package end

import (
	"reflect"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// replicated is the settings of a gateway server with two replicas.
func replicated() liqo.GatewaySettings {
	settings := overNodePort()
	settings.Pods = &liqo.PodSettings{Replicas: 2}
	return settings
}

// ensure makes Milan's gateway with these settings.
func ensure(t *testing.T, milan *End, settings liqo.GatewaySettings) *networkingv1beta1.GatewayServer {
	t.Helper()
	_, err := milan.EnsureGateway(t.Context(), "liqo-tenant-rome", liqo.Endpoint{}, settings)
	must(t, err)
	return found(t, milan).Gateway.Server
}

// templateOf reads a template of Milan's as data, or returns nil.
func templateOf(t *testing.T, milan *End, namespace, name string) *unstructured.Unstructured {
	t.Helper()
	template := &unstructured.Unstructured{}
	template.SetGroupVersionKind(
		networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.WgGatewayServerTemplateKind))
	err := milan.Leaf.Clients().Live.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, template)
	if apierrors.IsNotFound(err) {
		return nil
	}
	must(t, err)
	return template
}

// editTemplate gives the Deployment of a template another number of revisions.
func editTemplate(t *testing.T, milan *End, namespace, name string) {
	t.Helper()
	template := templateOf(t, milan, namespace, name)
	must(t, unstructured.SetNestedField(template.Object, int64(7), "spec", "template", "spec", "deployment", "spec",
		"revisionHistoryLimit"))
	must(t, milan.Leaf.Clients().Live.Update(t.Context(), template))
}

func TestAGatewayWithSettingsOfItsPodsHasATemplateOfItsOwn(t *testing.T) {
	large := clustertest.ServerTemplate()
	large.Name = "large"
	ofAnother := replicated()
	ofAnother.Template = liqo.Template{Name: "large"}
	milan := milansEnd(t, large)
	milan.Owner = me
	gateway := ensure(t, milan, replicated())
	derived := templateOf(t, milan, "liqo-tenant-rome", "rome")
	if derived == nil || !me.Marked(derived) || derived.GetLabels()["liqo.io/remote-cluster-id"] != "rome" {
		t.Fatalf("the derived template is %v", derived)
	}
	if ref := gateway.Spec.ServerTemplateRef; ref.Namespace != "liqo-tenant-rome" || ref.Name != "rome" ||
		ref.Kind != networkingv1beta1.WgGatewayServerTemplateKind {
		t.Errorf("the gateway refers to %+v", ref)
	}
	observed := (liqo.Objects{Gateway: liqo.GatewayOf(gateway)}).ObservedGateway(liqo.ServerRole)
	if observed.Template != liqo.DefaultTemplate(liqo.ServerRole, "liqo") ||
		!reflect.DeepEqual(observed.Pods, replicated().Pods) {
		t.Errorf("it shows %+v, %+v", observed.Template, observed.Pods)
	}
	for name, test := range map[string]struct {
		settings          liqo.GatewaySettings
		changes, replaces bool
	}{
		"the same":            {replicated(), false, false},
		"without":             {overNodePort(), true, false},
		"of another template": {ofAnother, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			if changes, err := milan.ChangesGateway(t.Context(), test.settings); err != nil || changes != test.changes {
				t.Errorf("changes: %t (%v)", changes, err)
			}
			replaces, err := milan.replacesTemplate(liqo.GatewayOf(gateway), test.settings)
			if err != nil || replaces != test.replaces {
				t.Errorf("replaces: %t (%v)", replaces, err)
			}
		})
	}
}

func TestADerivedTemplateThatIsNotAsItShallBeIsRepaired(t *testing.T) {
	for id, spoil := range map[trouble.ID]func(t *testing.T, milan *End){
		"": func(*testing.T, *End) {},
		"derived-template-deleted": func(t *testing.T, milan *End) {
			t.Helper()
			must(t, milan.Leaf.Clients().Live.Delete(t.Context(), templateOf(t, milan, "liqo-tenant-rome", "rome")))
		},
		"derived-template-edited": func(t *testing.T, milan *End) {
			t.Helper()
			editTemplate(t, milan, "liqo-tenant-rome", "rome")
		},
		"derived-template-not-taken": func(t *testing.T, milan *End) {
			t.Helper()
			must(t, milan.Leaf.Edit(t.Context(), found(t, milan).Gateway.Object, func(gateway client.Object) {
				gateway.SetAnnotations(map[string]string{
					liqo.DerivationAnnotation: gateway.GetAnnotations()[liqo.DerivationAnnotation],
					liqo.DerivedAnnotation:    "of-a-former-one/1/1",
				})
			}))
		},
		"derived-template-outdated": func(t *testing.T, milan *End) {
			t.Helper()
			editTemplate(t, milan, "liqo", liqo.DefaultServerTemplateName)
		},
	} {
		t.Run(string(id), func(t *testing.T) {
			milan := milansEnd(t)
			milan.Owner = me
			before := ensure(t, milan, replicated())
			spoil(t, milan)
			problem, err := milan.OutdatedTemplate(t.Context())
			must(t, err)
			if problem != nil && problem.ID != id || problem == nil && id != "" {
				t.Errorf("the problem is %v", problem)
			}
			if changes, err := milan.ChangesGateway(t.Context(), replicated()); err != nil || changes != (id != "") {
				t.Errorf("an apply changes the gateway: %t (%v)", changes, err)
			}
			after := ensure(t, milan, replicated())
			if problem, err = milan.OutdatedTemplate(t.Context()); err != nil || problem != nil {
				t.Errorf("after the repair: %v (%v)", problem, err)
			}
			if id == "derived-template-deleted" || id == "derived-template-not-taken" {
				return // the fake client gives a new object no UID, and the note is the former one again
			}
			told := before.Annotations[liqo.DerivedAnnotation] != after.Annotations[liqo.DerivedAnnotation]
			if told != (id != "") {
				t.Errorf("the gateway is told: %t", told)
			}
		})
	}
}

func TestADerivedTemplateGoesWithTheSettings(t *testing.T) {
	milan := milansEnd(t)
	milan.Owner = me
	ensure(t, milan, replicated())
	gateway := ensure(t, milan, overNodePort())
	if left := templateOf(t, milan, "liqo-tenant-rome", "rome"); left != nil {
		t.Errorf("%v is left", left)
	}
	if ref := gateway.Spec.ServerTemplateRef; ref.Name != liqo.DefaultServerTemplateName || ref.Namespace != "liqo" {
		t.Errorf("the gateway refers to %+v", ref)
	}
	for _, key := range []string{liqo.DerivationAnnotation, liqo.DerivedAnnotation} {
		if value, left := gateway.Annotations[key]; left {
			t.Errorf("the gateway has %s: %s", key, value)
		}
	}
}

func TestADerivedTemplateGoesAfterItsGateway(t *testing.T) {
	for name, interrupted := range map[string]bool{"at once": false, "after an interruption": true} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t)
			milan.Owner = me
			gateway := ensure(t, milan, replicated())
			if interrupted {
				must(t, milan.Leaf.Clients().Live.Delete(t.Context(), gateway))
			}
			must(t, milan.RemoveGateways(t.Context()))
			if left := templateOf(t, milan, "liqo-tenant-rome", "rome"); left != nil {
				t.Errorf("%v is left", left)
			}
			if templateOf(t, milan, "liqo", liqo.DefaultServerTemplateName) == nil {
				t.Error("Liqo's own template is gone")
			}
		})
	}
}

func TestATemplateOfSomebodyElseIsNeitherChangedNorRemoved(t *testing.T) {
	theirs := clustertest.ServerTemplate()
	theirs.Namespace, theirs.Name = "liqo-tenant-rome", "rome"
	theirs.Labels = map[string]string{"liqo.io/remote-cluster-id": "rome"}
	milan := milansEnd(t, theirs)
	before := templateOf(t, milan, "liqo-tenant-rome", "rome")
	_, err := milan.EnsureGateway(t.Context(), "liqo-tenant-rome", liqo.Endpoint{}, replicated())
	says(t, err, `another template has the gateway's name on leaf "milan"`)
	if gateway := found(t, milan).Gateway; gateway != nil {
		t.Errorf("there is %v", gateway)
	}
	must(t, milan.RemoveGateways(t.Context()))
	if after := templateOf(t, milan, "liqo-tenant-rome", "rome"); !reflect.DeepEqual(before, after) {
		t.Errorf("it was %v, and is %v", before, after)
	}
}
