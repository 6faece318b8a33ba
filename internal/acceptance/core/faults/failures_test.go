package faults

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAccFailureToRemoveIsExplainedByWhatHoldsTheObjects(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	const impatient = `
		resource "liqo_shortcut" "rome_milan" {
		  client         = "rome"
		  server         = "milan"
		  server_gateway = { service_type = "NodePort" }
		  timeouts       = { delete = "` + acctest.Ample + `" }
		}`
	t.Cleanup(func() { lab.Command(t, "set", "milan", "liqo=running") })
	acctest.Apply(t,
		resource.TestStep{Config: lab.Contexts(impatient)},
		resource.TestStep{
			PreConfig: func() { lab.Command(t, "set", "milan", "liqo=stopped") },
			Config:    lab.Contexts(impatient), Destroy: true,
			ExpectError: acctest.Message(`Liqo's controllers do not run on `+
				`leaf "milan"`, // Kubernetes has emptied the tenant namespace, the Deployment with it
				`Time ran out while waiting for Network liqo-tenant-rome/rome-… to be deleted and for `+
					`WgGatewayServer liqo-tenant-rome/rome to be deleted on "milan".`,
				`Network liqo-tenant-rome/rome-… still exists: it waits for the finalizer ….`,
				`Deployment liqo/liqo-controller-manager, which runs Liqo's controllers, is scaled to 0 replicas.`,
				`WgGatewayServer liqo-tenant-rome/rome still exists: it waits for the finalizer ….`,
				`Start Liqo's controllers on leaf "milan" again.`, acctest.HelpAt("controllers-down")),
		},
		resource.TestStep{
			PreConfig:         func() { lab.Command(t, "set", "milan", "liqo=running") },
			Config:            lab.Contexts(acctest.ShortcutRomeMilan),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}

func TestAccANamespaceThatAFinalizerHoldsIsAwaitedAndLeavesNoState(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	milan := lab.Client(t, "milan")
	namespace := acctest.NamespaceNamed("liqo-tenant-rome")
	content := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace.Name, Name: "content", Finalizers: []string{"example.com/hold"},
	}}
	release := sync.OnceFunc(func() {
		nothing := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		if err := milan.Patch(context.WithoutCancel(t.Context()), content, nothing); err != nil {
			t.Error(err)
		}
	})
	config := lab.Between("milan", "timeouts = { create = \""+acctest.Ample+"\" }")
	acctest.Apply(t,
		resource.TestStep{
			PreConfig: func() {
				lab.Have(t, "milan", namespace)
				acctest.Must(t, milan.Create(t.Context(), content))
				t.Cleanup(release)
				acctest.Must(t, milan.Delete(t.Context(), namespace))
			},
			Config: config,
			ExpectError: acctest.Message(`Namespace liqo-tenant-rome is not deleted on leaf "milan"`,
				"Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances.",
				acctest.HelpAt("object-not-deleted")),
		},
		resource.TestStep{
			PreConfig: release, Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(acctest.RomeMilan, plancheck.ResourceActionCreate), // it is not tainted
			}},
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}

func TestAccFailureNamesTheMissingPermission(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	const liqos, all = "networking.liqo.io", rbacv1.VerbAll
	for name, test := range map[string]struct {
		verbs   []string // on GatewayServers
		message *regexp.Regexp
	}{
		"to write": {
			[]string{"get", "list", "watch"},
			acctest.Message(`No permission to patch gatewayservers.networking.liqo.io on leaf "milan"`,
				`The answer was: gatewayservers.networking.liqo.io "rome" is forbidden: User `+
					`"system:serviceaccount:liqo:limited" cannot patch resource `+
					`"gatewayservers" in API group "networking.liqo.io" in the namespace "liqo-tenant-rome"`,
				`Give user "system:serviceaccount:liqo:limited" a ClusterRole, or a Role of namespace `+
					`"liqo-tenant-rome", with `+
					`this rule, on this leaf:`,
				`apiGroups: ["networking.liqo.io"]`, `resources: ["gatewayservers"]`, `verbs: ["patch"]`,
				`How far it got:`, `…not done milan: GatewayServer`, acctest.HelpAt("permission-missing")),
		},
		"to watch, which the caches need": {
			[]string{"get"},
			acctest.Message(`No permission to … gatewayservers.networking.liqo.io on leaf "milan"`,
				`The answer was: …gatewayservers.networking.liqo.io is forbidden: User `+
					`"system:serviceaccount:liqo:limited" `+
					`cannot … resource `+
					`"gatewayservers" in API group "networking.liqo.io" at the cluster scope`,
				`Give user "system:serviceaccount:liqo:limited" a ClusterRole with this rule, on this leaf:`,
				`apiGroups: ["networking.liqo.io"]`, `resources: ["gatewayservers"]`, `verbs: ["…"]`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			lab.KeepsInventory(t)
			// It has all permissions that a shortcut needs, but only these verbs on GatewayServers.
			user := lab.ReachedAs(t, "milan", "limited", []client.Object{&rbacv1.ClusterRole{
				ObjectMeta: metav1.ObjectMeta{Name: "shortcuts"},
				Rules: []rbacv1.PolicyRule{
					{
						APIGroups: []string{"", "apps", "coordination.k8s.io", "core.liqo.io", "ipam.liqo.io"},
						Resources: []string{all}, Verbs: []string{all},
					},
					{APIGroups: []string{liqos}, Verbs: []string{all}, Resources: []string{
						networkingv1beta1.ConfigurationResource, networkingv1beta1.GatewayClientResource,
						networkingv1beta1.PublicKeyResource, networkingv1beta1.ConnectionResource,
						networkingv1beta1.WgGatewayServerResource, networkingv1beta1.WgGatewayClientResource,
						networkingv1beta1.WgGatewayServerTemplateResource, networkingv1beta1.WgGatewayClientTemplateResource,
					}},
					{APIGroups: []string{liqos}, Verbs: test.verbs, Resources: []string{networkingv1beta1.GatewayServerResource}},
				},
			}})
			limited := lab.Listing("milan = " + user.Entry())
			acctest.Apply(t,
				resource.TestStep{Config: limited + acctest.ShortcutRomeMilan, ExpectError: test.message},
				resource.TestStep{
					Config:            lab.Contexts(acctest.ShortcutRomeMilan),
					ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
				},
			)
		})
	}
}

func TestAccAWriteThatIsUnderWayWhenTheOtherLeafFailsIsRecorded(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	leaves := lab.ReachedAsAdministrator(t, "rome", "milan")
	toRome, rome := acctest.ProxyFor(t, leaves["rome"])
	toMilan, milan := acctest.ProxyFor(t, leaves["milan"])
	underWay, arrived := make(chan struct{}), make(chan struct{})
	send, arrive := sync.OnceFunc(func() { close(underWay) }), sync.OnceFunc(func() { close(arrived) })
	toRome.Disturb(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/configurations/") {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			send()
			// Then it arrives, whether or not anybody still waits for the answer.
			<-time.After(2 * time.Second)
			defer arrive()
			r.Body = io.NopCloser(bytes.NewReader(body))
			ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 10*time.Second)
			t.Cleanup(cancel)
			*r = *r.WithContext(ctx)
		}
		return false
	})
	toMilan.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPatch || !strings.Contains(r.URL.Path, "/configurations/") {
			return false
		}
		<-underWay
		clustertest.Refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden, `configurations.networking.liqo.io "rome" `+
			`is forbidden: User "terraform" cannot patch resource "configurations" in API group "networking.liqo.io" in the `+
			`namespace "default"`)
		return true
	})
	provider := lab.Listing("rome = " + rome.Entry() + "\nmilan = " + milan.Entry())
	acctest.Apply(t,
		// Without a tenant namespace, the Configuration is the only trace.
		resource.TestStep{
			Config: provider + `
				resource "liqo_shortcut" "rome_milan" {
				  client           = "rome"
				  server           = "milan"
				  client_namespace = "default"
				  server_namespace = "default"
				  server_gateway   = { service_type = "NodePort" }
				}`,
			ExpectError: acctest.Message(`No permission to patch configurations.networking.liqo.io on leaf "milan"`),
		},
		resource.TestStep{PreConfig: func() { <-arrived }, Config: provider}, // removes what the state has
	)
}
