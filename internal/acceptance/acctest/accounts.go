package acctest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// Leaf is the access to one leaf, as in examples/credentials/token.
type Leaf struct {
	Host                 string `json:"host"`
	ClusterCACertificate string `json:"cluster_ca_certificate"`
	Token                string `json:"token"`
}

// Entry returns the value of an entry in the provider block.
func (l Leaf) Entry() string {
	return fmt.Sprintf("{ host = %q, token = %q, cluster_ca_certificate = %q }", l.Host, l.Token, l.ClusterCACertificate)
}

// Config returns the configuration of a client.
func (l Leaf) Config() *rest.Config {
	return &rest.Config{
		Host: l.Host, BearerToken: l.Token, TLSClientConfig: rest.TLSClientConfig{CAData: []byte(l.ClusterCACertificate)},
	}
}

// RegistryOf returns the leaves that are reached so, each by its name.
func RegistryOf(t *testing.T, leaves map[string]Leaf) *cluster.Registry {
	t.Helper()
	config := cluster.Config{LiqoNamespace: "liqo", Clusters: map[string]access.Credentials{}}
	for name, one := range leaves {
		config.Clusters[name] = access.Credentials{
			Host: one.Host, ClusterCACertificate: one.ClusterCACertificate, Token: one.Token,
		}
	}
	registry := cluster.NewRegistry(config)
	t.Cleanup(registry.Close)
	return registry
}

// ProxyFor starts a proxy for a leaf. It returns the proxy, and the access to the leaf through it.
func ProxyFor(t *testing.T, to Leaf) (*clustertest.Proxy, Leaf) {
	t.Helper()
	p := clustertest.NewProxy(t, to.Host, to.ClusterCACertificate)
	return p, Leaf{p.URL(), p.Authority(), to.Token}
}

// ReachedAsAdministrator returns the access to leaves with all permissions, of a new ServiceAccount on each.
func (l *Lab) ReachedAsAdministrator(t *testing.T, names ...string) map[string]Leaf {
	t.Helper()
	all := []string{rbacv1.VerbAll}
	administrator := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "all"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: all, Resources: all, Verbs: all}, {NonResourceURLs: all, Verbs: all},
	}}
	leaves := map[string]Leaf{}
	for _, name := range names {
		leaves[name] = l.ReachedAs(t, name, "administrator", []client.Object{administrator})
	}
	return leaves
}

// RolesIn returns the roles in some of the repository's YAML files.
func RolesIn(t *testing.T, files ...string) []client.Object {
	t.Helper()
	var roles []client.Object
	for _, file := range files {
		roles = append(roles, ObjectsIn(t, fmt.Sprintf(Root+"/examples/rbac/%s.yaml", file))...)
	}
	return roles
}

// ReachedAs returns the access to a leaf of a new ServiceAccount with these roles. All of it is removed at the end of
// the test.
func (l *Lab) ReachedAs(t *testing.T, name, account string, roles []client.Object) Leaf {
	t.Helper()
	user := Named(&corev1.ServiceAccount{}, "liqo", account)
	l.Have(t, name, user)
	for _, role := range roles {
		l.bind(t, name, role, user)
	}
	config := l.Config(t, name)
	return Leaf{config.Host, string(config.CAData), l.NewToken(t, name, user)}
}

// NewToken returns a token for an account of a leaf.
func (l *Lab) NewToken(t *testing.T, leaf string, of *corev1.ServiceAccount) string {
	t.Helper()
	request := &authenticationv1.TokenRequest{}
	Must(t, l.Client(t, leaf).SubResource("token").Create(t.Context(), of, request))
	return request.Status.Token
}

// bind creates a copy of a Role or ClusterRole for an account, and gives it to this account.
func (l *Lab) bind(t *testing.T, name string, role client.Object, to *corev1.ServiceAccount) {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: role.GetNamespace(), Name: to.Name + "-" + role.GetName()}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: to.Namespace, Name: to.Name}}
	role = role.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy has its original's type
	role.SetName(meta.Name)
	l.Have(t, name, role)
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name}
	if meta.Namespace == "" {
		l.Have(t, name, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: ref})
		return
	}
	ref.Kind = "Role"
	l.Have(t, name, &rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: ref})
}

// ObjectsIn returns the objects of a YAML file.
func ObjectsIn(t *testing.T, name string) []client.Object {
	t.Helper()
	file, err := os.ReadFile(name)
	Must(t, err)
	var objects []client.Object
	for text := range strings.SplitSeq(string(file), "\n---\n") {
		object, _, err := clientgoscheme.Codecs.UniversalDeserializer().Decode([]byte(text), nil, nil)
		Must(t, err)
		objects = append(objects, object.(client.Object)) //nolint:errcheck,forcetypeassert // all kinds are objects
	}
	return objects
}

// terraformUser is the user of Terraform in the examples of roles.
const terraformUser = "system:serviceaccount:liqo:terraform"

// NotNetwork is the end of what the example of a policy allows.
const NotNetwork = "Terraform may change only networks between clusters, in their own namespaces"

// Limit applies the example of a policy on a leaf, for the duration of the test. It limits further users, too.
func (l *Lab) Limit(t *testing.T, leaf string, users ...string) {
	t.Helper()
	for _, object := range ObjectsIn(t, Root+"/examples/rbac/policy.yaml") {
		if policy, ok := object.(*admissionv1.ValidatingAdmissionPolicy); ok {
			condition := &policy.Spec.MatchConditions[0]
			for _, user := range users {
				condition.Expression = strings.Replace(condition.Expression, "]", fmt.Sprintf(", %q]", user), 1)
			}
		}
		l.Have(t, leaf, object)
	}
	config := l.Config(t, leaf)
	config.Impersonate = rest.ImpersonationConfig{UserName: terraformUser, Groups: []string{"system:masters"}}
	limited, err := client.New(config, client.Options{Scheme: cluster.NewScheme()})
	Must(t, err)
	UntilRefused(t, limited, NamespaceNamed("another"), NotNetwork)
}

// UntilRefused waits until an API server refuses an object with this text. It does not say when it has read a rule.
func UntilRefused(t *testing.T, c client.Client, object client.Object, text string) {
	t.Helper()
	const interval = 50 * time.Millisecond
	refuses := func(ctx context.Context) (bool, error) {
		again := object.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy
		err := c.Create(ctx, again, client.DryRunAll)
		if err != nil && strings.Contains(err.Error(), text) {
			return true, nil
		}
		return false, err
	}
	//nolint:forbidigo // there is no event for it
	if err := wait.PollUntilContextTimeout(t.Context(), interval, TimeToHappen, true, refuses); err != nil {
		t.Fatalf("it is not refused with %q: %v", text, err)
	}
}
