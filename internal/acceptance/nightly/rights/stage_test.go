package rights

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// stage is a lab on which users with different rights work on the same shortcut.
type stage struct {
	t             *testing.T // the one that runs
	lab           *acctest.Lab
	administrator *shortcut.Shortcut
}

// ownNamespace is the namespace of a shortcut on both leaves. It stays, so a destroy takes a second instead of the many
// that Kubernetes needs to delete a namespace.
const ownNamespace = "own-namespace"

// onEachStage runs a test on each of the labs of [onEachKubernetes]. At its end, the shortcut is removed.
func onEachStage(t *testing.T, test func(*stage)) {
	t.Helper()
	onEachKubernetes(t, func(t *testing.T, l *acctest.Lab) {
		t.Helper()
		for _, name := range []string{"rome", "milan"} {
			l.Have(t, name, acctest.NamespaceNamed(ownNamespace))
		}
		administrator, err := join(t, l.ReachedAsAdministrator(t, "rome", "milan"))
		acctest.Must(t, err)
		s := &stage{t, l, administrator}
		t.Cleanup(s.remove)
		test(s)
	})
}

// join connects to the leaves with these credentials.
func join(t *testing.T, leaves map[string]acctest.Leaf) (*shortcut.Shortcut, error) {
	t.Helper()
	registry := acctest.RegistryOf(t, leaves)
	rome, atRome := registry.Leaf(t.Context(), "rome")
	milan, atMilan := registry.Leaf(t.Context(), "milan")
	if err := cmp.Or(atRome, atMilan); err != nil {
		return nil, err
	}
	return shortcut.New(rome, milan).OwnedBy(owner.Owner{Token: "rights"}), nil
}

// use is something that a user with a role does.
type use struct {
	name   string
	rights []string // what it needs, and nothing else in the list needs

	prepare func()                                          // as an administrator
	fault   func(http.ResponseWriter, *http.Request) bool   // between the user and the leaves
	do      func(context.Context, *shortcut.Shortcut) error // after the connection to the leaves
	limit   time.Duration                                   // of do, if it can't succeed with the whole role either

	succeeds bool // in a lesser way, without these rights
}

// impatient is the time for something that can't succeed. It is enough for everything that can be done before.
const impatient = 10 * time.Second

// of returns the rights to use each of the verbs for each of the resources.
func of(resources []string, verbs ...string) []string {
	var all []string
	for _, resource := range resources {
		for _, verb := range verbs {
			all = append(all, verb+" "+resource)
		}
	}
	return all
}

// The resources that several tests name.
var (
	written = []string{
		"configurations.networking.liqo.io", "gatewayservers.networking.liqo.io", "gatewayclients.networking.liqo.io",
		"publickeies.networking.liqo.io",
	}
	templates = []string{"wggatewayservertemplates.networking.liqo.io", "wggatewayclienttemplates.networking.liqo.io"}
)

// needsEveryRight takes each right away from the roles in some files, and somebody does what needs it. The account also
// has further roles. Whether these are needed is for other tests. A short test takes some rights away.
func (s *stage) needsEveryRight(files, further []string, uses []use) {
	t := s.t // each case has its own
	roles := acctest.RolesIn(t, slices.Concat(files, further)...)
	left := map[string]acctest.Right{}
	for _, right := range acctest.RightsIn(roles) {
		left[right.String()] = right
	}
	type lack struct {
		use      use
		taken    acctest.Right
		accounts map[string]acctest.Leaf // keyed by leaf
	}
	var lacks []lack
	for _, use := range uses {
		for _, text := range use.rights {
			taken, given := left[text]
			if !given {
				t.Errorf("%s needs the right to %s, which no role gives or something else needs, too", use.name, text)
				continue
			}
			lacks = append(lacks, lack{use: use, taken: taken})
			delete(left, text)
		}
	}
	for _, right := range acctest.RightsIn(acctest.RolesIn(t, further...)) {
		delete(left, right.String())
	}
	for text := range left {
		t.Errorf("nothing needs the right to %s", text)
	}
	const someCases = 5 // of each list in a short test
	lacks = acctest.SomeOf(lacks, someCases, acctest.NewDice(t))
	for i, lack := range lacks {
		lacks[i].accounts = reachedWith(t, s.lab, lack.taken.Account(), acctest.Without(roles, lack.taken))
	}
	for _, lack := range lacks {
		t.Run(fmt.Sprintf("%s without the right to %s", lack.use.name, lack.taken), func(t *testing.T) {
			whole := s.t
			s.t = t
			t.Cleanup(func() { s.t = whole })
			s.refuses(lack.use, lack.taken, lack.accounts)
		})
	}
}

// refuses lets an account without a right try something that needs it. The error must say which right, and where.
func (s *stage) refuses(use use, taken acctest.Right, accounts map[string]acctest.Leaf) {
	if use.prepare != nil {
		use.prepare()
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), cmp.Or(use.limit, acctest.TimeToHappen))
	defer cancel()
	leaves := maps.Clone(accounts)
	for name, one := range leaves {
		if use.fault != nil {
			var between *clustertest.Proxy
			between, leaves[name] = acctest.ProxyFor(s.t, one)
			between.Disturb(use.fault)
		}
	}
	limited, err := join(s.t, leaves)
	if err == nil && use.do != nil {
		err = use.do(ctx, limited)
	}
	text := explain.Summary(err) + "\n" + explain.Detail(err)
	right := "o permission to " + taken.Verb + " " + taken.Resource
	if use.succeeds {
		if err != nil {
			s.t.Error(err)
		}
	} else if !strings.Contains(text, right+" on leaf ") && !strings.Contains(text, right+":") {
		s.t.Errorf("the error is: %s", text)
	}
}

// remove removes the shortcut, whatever is left of it.
func (s *stage) remove() {
	acctest.Must(s.t, disconnects(context.WithoutCancel(s.t.Context()), s.administrator))
}

// has returns what creates the shortcut with these settings, or changes what exists of it.
func (s *stage) has(settings ...func(*shortcut.Spec)) func() {
	return func() {
		acctest.Must(s.t, connects(settings...)(s.t.Context(), s.administrator))
	}
}

// withoutLoadBalancer removes the shortcut, and lets Services of Milan get no address.
func (s *stage) withoutLoadBalancer() {
	s.remove()
	s.lab.Set(s.t, "milan", "load-balancer=false")
}

// hold lets the deletion of all objects of a kind in a namespace wait until the end of the test.
func (s *stage) hold(leaf, namespace string, kind client.ObjectList) {
	t, c, ctx := s.t, s.lab.Client(s.t, leaf), context.WithoutCancel(s.t.Context())
	const finalizer = "example.com/held"
	edit := func(object client.Object, change func(client.Object, string) bool) error {
		before := object.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy has its type
		change(object, finalizer)
		return c.Patch(ctx, object, client.MergeFrom(before))
	}
	err := errors.Join(c.List(ctx, kind, client.InNamespace(namespace)), meta.EachListItem(kind,
		func(item runtime.Object) error {
			object := item.(client.Object) //nolint:errcheck,forcetypeassert // a list has objects
			t.Cleanup(func() {
				err := c.Get(ctx, client.ObjectKeyFromObject(object), object)
				if err == nil {
					err = edit(object, controllerutil.RemoveFinalizer)
				}
				if client.IgnoreNotFound(err) != nil {
					t.Error(err)
				}
			})
			return edit(object, controllerutil.AddFinalizer)
		}))
	acctest.Must(t, err)
}

// specWith returns a shortcut with these settings. Its namespaces exist, unless a setting says otherwise.
func specWith(settings ...func(*shortcut.Spec)) shortcut.Spec {
	spec := shortcut.Spec{
		TunnelSettings: liqo.TunnelSettings{MTU: liqo.DefaultMTU}, WaitForConnection: true,
		Server: liqo.GatewaySettings{Role: liqo.ServerRole, ServiceType: corev1.ServiceTypeNodePort, Port: 51840},
	}
	spec.ClientEnd.Namespace, spec.ServerEnd.Namespace = ownNamespace, ownNamespace
	for _, set := range settings {
		set(&spec)
	}
	return spec
}

func connects(settings ...func(*shortcut.Spec)) func(context.Context, *shortcut.Shortcut) error {
	spec := specWith(settings...)
	return func(ctx context.Context, s *shortcut.Shortcut) error { return s.Connect(ctx, spec) }
}

func withLoadBalancer(spec *shortcut.Spec) { spec.Server.ServiceType = corev1.ServiceTypeLoadBalancer }

func disconnects(ctx context.Context, s *shortcut.Shortcut) error {
	return s.Disconnect(ctx, shortcut.Removal{})
}

func observes(ctx context.Context, s *shortcut.Shortcut) error {
	_, err := s.Observe(ctx)
	return err
}

func inspects(ctx context.Context, s *shortcut.Shortcut) error {
	_, err := s.Inspect(ctx)
	return err
}

// looksForLong returns a look, also at objects of this kind, that ends only with an error. A leaf refuses a watch for
// 15 seconds before it is given up.
func looksForLong(kind client.Object) func(context.Context, *shortcut.Shortcut) error {
	never := func(context.Context) (bool, error) { return false, nil }
	return func(ctx context.Context, s *shortcut.Shortcut) error {
		return cmp.Or(inspects(ctx, s), s.Client.Leaf.Explain(s.Client.Leaf.Until(ctx, "milan", never, kind)))
	}
}

// withoutStreaming refuses to stream lists, as API servers before Kubernetes 1.32 do.
func withoutStreaming(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Query().Get("sendInitialEvents") == "" {
		return false
	}
	clustertest.Refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "sendInitialEvents is forbidden")
	return true
}
