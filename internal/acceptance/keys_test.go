package acceptance

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestAccKeysThatSomeoneElseProvidesStayTheirs(t *testing.T) {
	lab := borrowLab(t)
	p := lab.newProject(t, t.TempDir())
	destroyAtLast(p)
	const keyless = overNodePort + "\nshare_keys = false\n"
	p.write("main.tf", lab.between("milan", keyless))
	p.apply()
	brought := []*networkingv1beta1.PublicKey{lab.bringKey(t, "rome", "milan"), lab.bringKey(t, "milan", "rome")}
	await(t, lab, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan", isUp)
	await(t, lab, "milan", &networkingv1beta1.ConnectionList{}, "gw-rome", isUp)

	p.run("plan", "-detailed-exitcode")
	p.write("main.tf", lab.between("milan", keyless+`server_network = { pod_cidrs = ["10.203.128.0/17"] }`))
	p.apply()
	says(t, p.run("state", "show", romeMilan), `status = "Connected"`)
	says(t, p.run("destroy", "-auto-approve"), "1 destroyed",
		`Warning: Some objects were kept on leaf "rome"`,
		`Objects that someone else created stay: PublicKey liqo-tenant-milan/milan. Liqo's record of "milan" also `+
			`stays. Therefore, Namespace liqo-tenant-milan also stays;`,
		`Warning: Some objects were kept on leaf "milan"`,
		`Objects that someone else created stay: PublicKey liqo-tenant-rome/rome. Liqo's record of "rome" also `+
			`stays. Therefore, Namespace liqo-tenant-rome also stays;`)
	for i, at := range []string{"rome", "milan"} {
		lab.isStillThere(t, at, brought[i])
		lab.hasNoOwner(t, at, brought[i].Namespace)
	}

	// The next shortcut of the pair is not blocked, and its destroy leaves nothing behind once the keys are gone.
	p.write("main.tf", lab.between("milan", keyless))
	p.apply()
	for i, at := range []string{"rome", "milan"} {
		if err := lab.client(t, at).Delete(t.Context(), brought[i]); err != nil {
			t.Fatal(err)
		}
	}
	doesNotSay(t, p.run("destroy", "-auto-approve"), "Warning:")
}

func isUp(connection *networkingv1beta1.Connection) bool {
	return connection.Status.Value == networkingv1beta1.Connected
}

// bringKey provides a cluster with the key of the other cluster's gateway, as users do who share keys by other means.
func (l *Lab) bringKey(t *testing.T, at, of string) *networkingv1beta1.PublicKey {
	t.Helper()
	var keys corev1.Secret
	if err := l.client(t, of).Get(
		t.Context(), client.ObjectKey{Namespace: "liqo-tenant-" + at, Name: "gw-" + at}, &keys,
	); err != nil {
		t.Fatal(err)
	}
	key, err := forge.PublicKey("liqo-tenant-"+of, nil, liqov1beta1.ClusterID(of), keys.Data["publicKey"])
	if err != nil {
		t.Fatal(err)
	}
	if err := l.client(t, at).Create(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	return key
}

// isStillThere fails the test if an object is gone or was replaced.
func (l *Lab) isStillThere(t *testing.T, at string, object client.Object) {
	t.Helper()
	uid, key := object.GetUID(), client.ObjectKeyFromObject(object)
	if err := l.client(t, at).Get(t.Context(), key, object); err != nil || object.GetUID() != uid ||
		object.GetDeletionTimestamp() != nil {
		t.Errorf("%T %s on %s is gone (%v)", object, key, at, err)
	}
}

// hasNoOwner fails the test unless a namespace was created by the provider and has no owner any more.
func (l *Lab) hasNoOwner(t *testing.T, at, name string) {
	t.Helper()
	var namespace corev1.Namespace
	if err := l.client(t, at).Get(t.Context(), client.ObjectKey{Name: name}, &namespace); err != nil {
		t.Fatal(err)
	}
	if namespace.Labels[owner.ManagedByLabel] != owner.ManagedBy || len(namespace.Annotations) > 0 {
		t.Errorf("Namespace %s on %s has labels %v and "+
			"annotations %v", name, at, namespace.Labels, namespace.Annotations)
	}
}

func TestAccAUsersSecretStaysUnchangedAfterItsGatewayIsGone(t *testing.T) {
	lab := borrowLab(t)
	for _, name := range []string{"my-keys", "other-keys"} {
		lab.haveKeys(t, "rome", name)
		lab.haveKeys(t, "milan", name)
	}
	keys := func(name string) string {
		return lab.between("milan", fmt.Sprintf(`
			server_gateway   = { service_type = "NodePort", key_secret = %q }
			client_gateway   = { key_secret = %q }
			client_namespace = "default"
			server_namespace = "default"`, name, name))
	}
	// This is the state after an apply or a destroy that was killed after Liqo had removed the gateways.
	killed := func() {
		for at, gateway := range map[string]client.Object{
			"rome":  &networkingv1beta1.GatewayClient{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "milan"}},
			"milan": &networkingv1beta1.GatewayServer{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "rome"}},
		} {
			removed := lab.gone(t, at, &corev1.PodList{})
			if err := lab.client(t, at).Delete(t.Context(), gateway); err != nil {
				t.Fatal(err)
			}
			<-removed
		}
		if labels := lab.labelsOf(t, "milan", "my-keys", "other-keys"); len(labels) != 1 {
			t.Errorf("Liqo has labelled %v", labels)
		}
	}
	apply(t,
		resource.TestStep{Config: keys("my-keys"), ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)}},
		resource.TestStep{
			PreConfig: killed, Config: keys("other-keys"), ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
		resource.TestStep{PreConfig: killed, Config: keys("other-keys"), Destroy: true},
	)
	for _, at := range []string{"rome", "milan"} {
		if labels := lab.labelsOf(t, at, "my-keys", "other-keys"); len(labels) > 0 {
			t.Errorf("Secrets of %s still have labels: %v", at, labels)
		}
	}
}

// labelsOf returns the labels of the Secrets in namespace default that have any, by name.
func (l *Lab) labelsOf(t *testing.T, at string, names ...string) map[string]map[string]string {
	t.Helper()
	found := map[string]map[string]string{}
	for _, name := range names {
		var secret corev1.Secret
		if err := l.client(t, at).Get(t.Context(), client.ObjectKey{Namespace: "default", Name: name}, &secret); err != nil {
			t.Fatal(err)
		}
		if len(secret.Labels) > 0 {
			found[name] = secret.Labels
		}
	}
	return found
}

func TestAccAUsersSecretIsRejectedInANamespaceThatADestroyRemoves(t *testing.T) {
	lab := borrowLab(t)
	p := lab.newProject(t, t.TempDir())
	destroyAtLast(p)
	p.write("main.tf", lab.between("milan", overNodePort))
	p.apply()
	if err := lab.client(t, "milan").Create(t.Context(), wireguardKeys(t, "liqo-tenant-rome", "my-keys")); err != nil {
		t.Fatal(err)
	}
	networks := lab.networks(t)
	p.write("main.tf", lab.between("milan", `server_gateway = { service_type = "NodePort", key_secret = "my-keys" }`))
	says(t, p.refused("plan"), `Error: Secret liqo-tenant-rome/my-keys would be deleted with the shortcut on `+
		`leaf "milan"`, "Set the namespace at this end (`client_namespace`, `server_namespace` or `namespace`)")
	lab.sameNetworks(t, networks)
	p.write("main.tf", lab.between("milan", overNodePort))
	p.run("plan", "-detailed-exitcode")
	p.run("destroy", "-auto-approve")
}
