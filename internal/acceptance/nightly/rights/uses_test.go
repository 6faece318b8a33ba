package rights

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// use is something that a user with a role does.
type use struct {
	name   string
	rights []string // what it needs, and nothing else in the list needs

	prepare func(*testing.T, *stage)                        // as an administrator
	fault   func(http.ResponseWriter, *http.Request) bool   // between the user and the leaves
	do      func(context.Context, *shortcut.Shortcut) error // after the connection to the leaves
	limit   time.Duration                                   // of do, if it can't succeed with the whole role either

	degraded func(*testing.T, error) // checks the result, if it is not an error that names the right
}

// impatient is the time for something that can't succeed. It is enough for everything that can be done before.
const impatient = 10 * time.Second

// inOwnNamespaces is a shortcut in namespaces that exist.
func inOwnNamespaces() shortcut.Spec {
	spec := inTenantNamespaces()
	spec.ClientEnd.Namespace, spec.ServerEnd.Namespace = ownNamespace, ownNamespace
	return spec
}

func inTenantNamespaces() shortcut.Spec {
	return shortcut.Spec{
		TunnelSettings: liqo.TunnelSettings{MTU: liqo.DefaultMTU}, WaitForConnection: true,
		Server: liqo.GatewayServer{ServiceType: corev1.ServiceTypeNodePort, Port: 51840},
	}
}

func connects(spec shortcut.Spec, changes ...func(*shortcut.Spec)) func(context.Context, *shortcut.Shortcut) error {
	for _, change := range changes {
		change(&spec)
	}
	return func(ctx context.Context, s *shortcut.Shortcut) error { return s.Connect(ctx, spec) }
}

func withOtherMTU(spec *shortcut.Spec) { spec.MTU = 1400 }

func withOtherKeys(spec *shortcut.Spec) { spec.KeyRotation = "other" }

// withPods sets something of the gateways' pods.
func withPods(spec *shortcut.Spec) {
	pods := &liqo.PodSettings{
		Annotations: map[string]string{"example.com/a": "b"}, PriorityClassName: "system-cluster-critical",
	}
	spec.Client.Pods, spec.Server.Pods = pods, pods
}

// withRules limits what may cross.
func withRules(spec *shortcut.Spec) {
	spec.Allow = &shortcut.Allow{ToServer: []liqo.Rule{{Protocol: liqo.TCP, Port: 5432}}}
}

func withOtherRules(spec *shortcut.Spec) {
	spec.Allow = &shortcut.Allow{ToServer: []liqo.Rule{{Protocol: liqo.TCP, Port: 443}}}
}

// withRefusedPort asks for a port that an API server refuses for a Service.
func withRefusedPort(spec *shortcut.Spec) { spec.Server.NodePort = 1 }

func withLoadBalancer(spec *shortcut.Spec) { spec.Server.ServiceType = corev1.ServiceTypeLoadBalancer }

func disconnects(ctx context.Context, s *shortcut.Shortcut) error {
	return s.Disconnect(ctx, shortcut.Removal{})
}

func observes(ctx context.Context, s *shortcut.Shortcut) error {
	_, err := s.Observe(ctx, false)
	return err
}

func inspects(ctx context.Context, s *shortcut.Shortcut) error {
	_, err := s.Inspect(ctx)
	return err
}

// listsUnfinished reads which applies were killed, as the data source liqo_shortcuts does.
func listsUnfinished(ctx context.Context, s *shortcut.Shortcut) error {
	_, client := end.UnfinishedAt(ctx, s.Client.Leaf)
	_, server := end.UnfinishedAt(ctx, s.Server.Leaf)
	return errors.Join(client, server)
}

// looksForLong ends only with an error. A leaf refuses a watch for 15 seconds before it is given up.
func looksForLong(ctx context.Context, s *shortcut.Shortcut) error {
	never := func(context.Context) (bool, error) { return false, nil }
	return cmp.Or(inspects(ctx, s), s.Client.Leaf.Explain(s.Client.Leaf.Until(ctx, "milan", never)))
}

// describes reads what the data source liqo_cluster shows.
func describes(ctx context.Context, s *shortcut.Shortcut) error {
	_, version := liqo.Version(ctx, s.Client.Leaf)
	_, networks := liqo.RangesOf(ctx, s.Client.Leaf)
	_, templates := liqo.GatewayTemplates(ctx, s.Client.Leaf)
	return errors.Join(version, networks, templates)
}

// asksWhyDown reads what a plan says about a tunnel that is down.
func asksWhyDown(ctx context.Context, s *shortcut.Shortcut) error { return s.WhyDown(ctx) }

// checksTemplates reads what a plan reads of the gateways' templates.
func checksTemplates(ctx context.Context, s *shortcut.Shortcut) error {
	spec := inOwnNamespaces()
	_, server := s.Server.CheckTemplate(ctx, spec.Server)
	_, client := s.Client.CheckTemplate(ctx, spec.Client)
	return errors.Join(server, client)
}

// checksPlacement reads what a plan reads to see whether gateways' pods find a place.
func checksPlacement(ctx context.Context, s *shortcut.Shortcut) error {
	spec := inOwnNamespaces()
	withPods(&spec)
	template := func() (end.TemplateSettings, error) { return s.Server.CheckTemplate(ctx, spec.Server) }
	if problems := s.Server.CheckPlacement(ctx, spec.Server, template); len(problems) > 0 {
		return problems[0]
	}
	return nil
}

func checksNamespace(ctx context.Context, s *shortcut.Shortcut) error {
	return errors.Join(s.Server.CheckNamespace(ctx, ownNamespace), s.Server.CheckDeletions(ctx, ownNamespace))
}

func succeeds(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func absent(t *testing.T, s *stage) { t.Helper(); s.remove(t) }

func present(t *testing.T, s *stage) { t.Helper(); s.create(t, inOwnNamespaces()) }

func presentWithPods(t *testing.T, s *stage) {
	t.Helper()
	spec := inOwnNamespaces()
	withPods(&spec)
	s.remove(t)
	s.create(t, spec)
}

func presentWithRules(t *testing.T, s *stage) {
	t.Helper()
	spec := inOwnNamespaces()
	withRules(&spec)
	s.create(t, spec)
}

func presentInTenantNamespaces(t *testing.T, s *stage) {
	t.Helper()
	s.remove(t)
	s.create(t, inTenantNamespaces())
}

// abandoned leaves the tenant namespaces of an earlier shortcut on the leaves.
func abandoned(t *testing.T, s *stage) {
	t.Helper()
	presentInTenantNamespaces(t, s)
	if err := s.administrator.Disconnect(t.Context(), shortcut.Removal{KeepConfigurations: true}); err != nil {
		t.Fatal(err)
	}
}

// withHeldNamespace lets the deletion of Milan's tenant namespace wait until the end of the test.
func withHeldNamespace(t *testing.T, s *stage) {
	t.Helper()
	presentInTenantNamespaces(t, s)
	s.lab.Have(t, "milan", &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "held"}})
	s.hold(t, "milan", "liqo-tenant-rome", &corev1.ConfigMapList{})
}

// silent lets the gateways seem to have reported nothing for an hour.
func silent(t *testing.T, s *stage) {
	t.Helper()
	present(t, s)
	for leaf, name := range map[string]string{"rome": "gw-milan", "milan": "gw-rome"} {
		connection := &networkingv1beta1.Connection{ObjectMeta: metav1.ObjectMeta{Namespace: ownNamespace, Name: name}}
		report := `{"status":{"latency":{"value":"1ms","timestamp":"2026-01-01T00:00:00Z"}}}`
		err := s.lab.Client(t, leaf).Status().Patch(
			t.Context(), connection, client.RawPatch(types.MergePatchType, []byte(report)))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// held lets the deletion of objects of these kinds wait until the end of the test.
func held(kinds ...client.ObjectList) func(*testing.T, *stage) {
	return func(t *testing.T, s *stage) {
		t.Helper()
		present(t, s)
		t.Cleanup(func() { s.remove(t) }) // after they are released
		for _, leaf := range []string{"rome", "milan"} {
			for _, kind := range kinds {
				s.hold(t, leaf, ownNamespace, kind)
			}
		}
	}
}

// leased lets someone else hold the Lease of the pair.
func leased(renewed time.Time) func(*testing.T, *stage) {
	return func(t *testing.T, s *stage) {
		t.Helper()
		s.remove(t)
		s.lab.Have(t, "milan", &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "terraform-provider-liqo.milan.rome"},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: new("someone"), RenewTime: &metav1.MicroTime{Time: renewed}},
		})
	}
}

// withoutLoadBalancer lets Services of Milan get no address.
func withoutLoadBalancer(t *testing.T, s *stage) {
	t.Helper()
	s.remove(t)
	s.lab.Command(t, "set", "milan", "load-balancer=false")
	t.Cleanup(func() { s.lab.Command(t, "set", "milan", "load-balancer=true") })
}

// withoutAddress leaves a gateway whose Service gets no address.
func withoutAddress(t *testing.T, s *stage) {
	t.Helper()
	withoutLoadBalancer(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), impatient)
	defer cancel()
	if err := connects(inOwnNamespaces(), withLoadBalancer)(ctx, s.administrator); err == nil {
		t.Fatal("the gateway has an address")
	}
}

// withoutLiqo stops Liqo's controllers on a leaf.
func withoutLiqo(leaf string) func(*testing.T, *stage) {
	return func(t *testing.T, s *stage) {
		t.Helper()
		present(t, s)
		s.lab.Command(t, "set", leaf, "liqo=stopped")
		t.Cleanup(func() { s.lab.Command(t, "set", leaf, "liqo=running") })
	}
}

// withSecret provides a Secret with the keys of Milan's gateway.
func withSecret(t *testing.T, s *stage) {
	t.Helper()
	s.remove(t)
	s.lab.HaveKeys(t, "milan", "gw-rome")
	t.Cleanup(func() { s.remove(t) })
	spec := inOwnNamespaces()
	spec.ServerEnd.Namespace, spec.Server.KeySecret = metav1.NamespaceDefault, "gw-rome"
	s.create(t, spec)
}

// withoutStreaming refuses to stream lists, as API servers before Kubernetes 1.32 do.
func withoutStreaming(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Query().Get("sendInitialEvents") == "" {
		return false
	}
	clustertest.Refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "sendInitialEvents is forbidden")
	return true
}
