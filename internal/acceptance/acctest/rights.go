package acctest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"
	"github.com/liqotech/liqo/pkg/consts"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Right is one verb for one resource in a rule of a Role or ClusterRole.
type Right struct {
	Verb, Resource string // the resource with its API group, as in errors
	namespace      string // of the Role; empty for a ClusterRole
}

// String returns the right as in the tables of these tests, for example "list configmaps in liqo".
func (r Right) String() string {
	if r.namespace == "" {
		return r.Verb + " " + r.Resource
	}
	return fmt.Sprintf("%s %s in %s", r.Verb, r.Resource, r.namespace)
}

// Account is the name of a ServiceAccount without this right.
func (r Right) Account() string {
	return strings.NewReplacer(" ", "-", "/", "-").Replace("without " + r.String())
}

// RightsIn returns every right that these roles give.
func RightsIn(roles []client.Object) []Right {
	var all []Right
	for _, role := range roles {
		for _, rule := range *RulesOf(role) {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all = append(all, Right{verb, withGroup(rule, resource), role.GetNamespace()})
				}
			}
		}
	}
	return all
}

// Without returns copies of the roles without one right.
func Without(roles []client.Object, taken Right) []client.Object {
	var left []client.Object
	for _, role := range roles {
		role := role.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy has its original's type
		var rules []rbacv1.PolicyRule
		for _, rule := range *RulesOf(role) {
			for _, resource := range rule.Resources {
				one := rule.DeepCopy()
				one.Resources = []string{resource}
				if role.GetNamespace() == taken.namespace && withGroup(rule, resource) == taken.Resource {
					one.Verbs = slices.DeleteFunc(one.Verbs, func(verb string) bool { return verb == taken.Verb })
				}
				rules = append(rules, *one)
			}
		}
		*RulesOf(role) = slices.DeleteFunc(rules, func(rule rbacv1.PolicyRule) bool { return len(rule.Verbs) == 0 })
		left = append(left, role)
	}
	return left
}

// RulesOf returns the rules of a Role or ClusterRole.
func RulesOf(role client.Object) *[]rbacv1.PolicyRule {
	if namespaced, ok := role.(*rbacv1.Role); ok {
		return &namespaced.Rules
	}
	return &role.(*rbacv1.ClusterRole).Rules //nolint:errcheck,forcetypeassert // there is no other kind
}

func withGroup(rule rbacv1.PolicyRule, resource string) string {
	if rule.APIGroups[0] == "" {
		return resource
	}
	return resource + "." + rule.APIGroups[0]
}

// The ends of what the roles allow, as an API server says them.
const (
	notInRole    = `User "` + terraformUser + `" cannot`
	notNetwork   = "Terraform may change only networks between clusters, in their own namespaces"
	notForReal   = "Terraform may create a Service only as a dry run"
	notItsRoutes = "Terraform may not change routes"
	notItsRules  = "Terraform may change only what crosses the gateways of networks"
	notItsRecord = "Terraform may not change Liqo's record of this cluster"
	notItsLease  = "Terraform may change only Leases whose names begin with terraform-provider-liqo"
)

// attempts are what somebody could try with a stolen token, and what refuses it. The namespace elsewhere is one of
// applications, and the cluster is peered with Europe.
var attempts = map[string]struct {
	refused string
	do      func(context.Context, client.Client) error
}{
	"make an application's Service lead to other pods": {notNetwork, patches(elsewhere(&corev1.Service{}, "web"),
		`{"spec":{"selector":{"app":"other"}}}`)},
	"let a Service take the traffic of an address": {notNetwork, patches(elsewhere(&corev1.Service{}, "web"),
		`{"spec":{"externalIPs":["198.51.100.1"]}}`)},
	"set any annotation of a Service": {notNetwork, patches(elsewhere(&corev1.Service{}, "web"),
		`{"metadata":{"annotations":{"load-balancer":"public"}}}`)},
	"remove an annotation of a Service": {notNetwork, patches(elsewhere(&corev1.Service{}, "web"),
		`{"metadata":{"annotations":{"team":null}}}`)},
	"set a label of a Service": {notNetwork, patches(elsewhere(&corev1.Service{}, "web"),
		`{"metadata":{"labels":{"app":"other"}}}`)},
	"create a Service in a network's namespace": {notForReal, creates(&corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-naples", Name: "other"}, Spec: WebService().Spec,
	})},
	"create a Service elsewhere": {notNetwork, creates(&corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "elsewhere", Name: "other"}, Spec: WebService().Spec,
	})},
	"delete a Service":     {notInRole, deletes(elsewhere(&corev1.Service{}, "web"))},
	"delete a pod":         {notNetwork, deletes(elsewhere(&corev1.Pod{}, "web"))},
	"change a namespace":   {notNetwork, patches(NamespaceNamed("elsewhere"), tenantLabels)},
	"delete a namespace":   {notNetwork, deletes(NamespaceNamed("elsewhere"))},
	"delete a peering":     {notNetwork, deletes(NamespaceNamed("liqo-tenant-europe"))},
	"create any namespace": {notNetwork, creates(NamespaceNamed("another"))},
	"take over a peering":  {notNetwork, patches(NamespaceNamed("liqo-tenant-europe"), tenantLabels)},
	"delete Liqo's record": {notItsRecord, deletes(&liqov1beta1.ForeignCluster{
		ObjectMeta: metav1.ObjectMeta{Name: "europe"},
	})},
	"read a Secret":        {notInRole, reads(elsewhere(&corev1.Secret{}, "password"))},
	"list Secrets":         {notInRole, lists(&corev1.SecretList{})},
	"write another's keys": {notNetwork, patches(elsewhere(&corev1.Secret{}, "gw-milan"), `{"data":{"privateKey":""}}`)},
	"list ConfigMaps":      {notInRole, lists(&corev1.ConfigMapList{})},
	"renew all routes":     {notInRole, patches(elsewhere(&networkingv1beta1.RouteConfiguration{}, "other"), `{}`)},
	"renew another's routes": {notNetwork, patches(elsewhere(&networkingv1beta1.RouteConfiguration{}, "milan-node-gw"),
		tenantLabels)},
	"let the routes of a network lead elsewhere": {notItsRoutes, patches(&networkingv1beta1.RouteConfiguration{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-naples", Name: "milan-node-gw"},
	}, `{"spec":{"table":{"name":"other"}}}`)},
	"let nodes drop packets":         {notItsRules, creates(firewallFor("fabric", "naples"))},
	"let all gateways drop packets":  {notItsRules, creates(firewallFor("gateway", ""))},
	"limit what may cross a peering": {notItsRules, creates(firewallFor("gateway", "europe"))},
	"create a network elsewhere":     {notNetwork, creates(elsewhere(&networkingv1beta1.PublicKey{}, "other"))},
	"create a network in a peering": {notNetwork, creates(&networkingv1beta1.PublicKey{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-europe", Name: "other"},
	})},
	"change a network elsewhere": {
		notNetwork, patches(elsewhere(&networkingv1beta1.PublicKey{}, "public"), tenantLabels),
	},
	"delete a network elsewhere":           {notNetwork, deletes(elsewhere(&networkingv1beta1.PublicKey{}, "public"))},
	"take the Lease of Liqo's controllers": {notItsLease, holds("election")},
	"delete a Lease": {notItsLease, deletes(&coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "election"},
	})},
	"create any Lease": {notItsLease, creates(&coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "other"},
	})},
	"create a Lease elsewhere": {notInRole, creates(elsewhere(&coordinationv1.Lease{}, "terraform-provider-liqo.a.b"))},
}

// firewallFor is a FirewallConfiguration of Naples' network for gateways or nodes, and of one cluster or all.
func firewallFor(category, cluster string) client.Object {
	labels := map[string]string{"networking.liqo.io/firewall-category": category}
	if cluster != "" {
		labels["networking.liqo.io/firewall-unique"] = cluster
	}
	name, family := "other", firewall.TableFamilyIPv4
	return &networkingv1beta1.FirewallConfiguration{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-naples", Name: name, Labels: labels},
		Spec: networkingv1beta1.FirewallConfigurationSpec{
			Table: firewall.Table{Name: &name, Family: &family, Chains: []firewall.Chain{}},
		},
	}
}

// tenantLabels make a tenant namespace of Naples, or an object of its network, from another one.
const tenantLabels = `{"metadata":{"labels":{"` + consts.TenantNamespaceLabel + `":"true","` +
	consts.RemoteClusterID + `":"naples"}}}`

// elsewhere puts an object into the namespace elsewhere.
func elsewhere[T client.Object](object T, name string) T {
	object.SetNamespace("elsewhere")
	object.SetName(name)
	return object
}

// copied lets tests on several clusters use the same object.
func copied(object client.Object) client.Object {
	return object.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy has its original's type
}

func creates(object client.Object) func(context.Context, client.Client) error {
	return func(ctx context.Context, c client.Client) error { return c.Create(ctx, copied(object)) }
}

func patches(object client.Object, patch string) func(context.Context, client.Client) error {
	return func(ctx context.Context, c client.Client) error {
		return c.Patch(ctx, copied(object), client.RawPatch(types.MergePatchType, []byte(patch)))
	}
}

func deletes(object client.Object) func(context.Context, client.Client) error {
	return func(ctx context.Context, c client.Client) error { return c.Delete(ctx, copied(object)) }
}

func reads(object client.Object) func(context.Context, client.Client) error {
	return func(ctx context.Context, c client.Client) error {
		return c.Get(ctx, client.ObjectKeyFromObject(object), copied(object))
	}
}

// holds takes a Lease in Liqo's namespace.
func holds(name string) func(context.Context, client.Client) error {
	return func(ctx context.Context, c client.Client) error {
		var lease coordinationv1.Lease
		if err := c.Get(ctx, client.ObjectKey{Namespace: "liqo", Name: name}, &lease); err != nil {
			return err
		}
		lease.Spec.HolderIdentity = new("other")
		return c.Update(ctx, &lease)
	}
}

func lists(list client.ObjectList) func(context.Context, client.Client) error {
	return func(ctx context.Context, c client.Client) error {
		return c.List(ctx, list.DeepCopyObject().(client.ObjectList)) //nolint:errcheck,forcetypeassert // as above
	}
}

// TheRightsEndAtNetworks lets somebody with Terraform's token try everything that is not its business on a leaf that is
// peered with Europe.
func (l *Lab) TheRightsEndAtNetworks(t *testing.T, leaf string) {
	t.Helper()
	l.KeepsInventory(t)
	l.Limit(t, leaf)
	config := l.ReachedAs(t, leaf, "terraform", RolesIn(t, "shortcuts", "key-rotation", "what-may-cross")).Config()
	terraform, err := client.New(config, client.Options{Scheme: cluster.NewScheme()})
	if err != nil {
		t.Fatal(err)
	}
	l.Have(t, leaf, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "liqo-tenant-naples", Labels: map[string]string{
		consts.TenantNamespaceLabel: "true", consts.RemoteClusterID: "naples",
	}}})
	l.Have(t, leaf, NamespaceNamed("elsewhere"))
	service := elsewhere(WebService(), "web")
	l.Have(t, leaf, service)
	l.Have(t, leaf, elsewhere(&corev1.Pod{Spec: corev1.PodSpec{
		Containers:      []corev1.Container{{Name: "web", Image: "any"}},
		SchedulingGates: []corev1.PodSchedulingGate{{Name: "example.com/never"}},
	}}, "web"))
	l.Have(t, leaf, elsewhere(&corev1.Secret{}, "password"))
	l.Have(t, leaf, elsewhere(&corev1.Secret{}, "gw-milan"))
	l.Have(t, leaf, elsewhere(&networkingv1beta1.PublicKey{}, "public"))
	for _, namespace := range []string{"elsewhere", "liqo-tenant-naples"} {
		l.Have(t, leaf, &networkingv1beta1.RouteConfiguration{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "milan-node-gw"},
			Spec: networkingv1beta1.RouteConfigurationSpec{Table: networkingv1beta1.Table{
				Name: "of-" + namespace, Rules: []networkingv1beta1.Rule{{Routes: []networkingv1beta1.Route{}}},
			}},
		})
	}
	l.Have(t, leaf, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "election"}})

	for _, what := range slices.Sorted(maps.Keys(attempts)) {
		attempt := attempts[what]
		if err := attempt.do(t.Context(), terraform); err == nil || !strings.Contains(err.Error(), attempt.refused) {
			t.Errorf("an attempt on %s to %s has the result: %v", leaf, what, err)
		}
	}
	const directly = `{"metadata":{"annotations":{"` + consts.UseDirectConnectionAnnotationKey + `":"true"}}}`
	if err := patches(service, directly)(t.Context(), terraform); err != nil {
		t.Errorf("a request on %s for direct connections is refused: %v", leaf, err)
	}
}
