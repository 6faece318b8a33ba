package ownership

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

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestAccKeysThatSomeoneElseProvidesStayTheirs(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	const keyless = acctest.OverNodePort + "\nshare_keys = false\n"
	p := lab.Written(t, lab.Between("milan", keyless))
	p.Again()
	brought := map[string]*networkingv1beta1.PublicKey{} // as users do who share keys by other means
	for at, of := range map[string]string{"rome": "milan", "milan": "rome"} {
		var keys corev1.Secret
		name := client.ObjectKey{Namespace: "liqo-tenant-" + at, Name: "gw-" + at}
		if err := lab.Client(t, of).Get(t.Context(), name, &keys); err != nil {
			t.Fatal(err)
		}
		key, err := forge.PublicKey("liqo-tenant-"+of, nil, liqov1beta1.ClusterID(of), keys.Data["publicKey"])
		if err != nil {
			t.Fatal(err)
		}
		if err := lab.Client(t, at).Create(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		brought[at] = key
	}
	lab.ComesUp(t)

	p.Run("plan", "-detailed-exitcode")
	p.Write("main.tf", lab.Between("milan", keyless+`server_network = { pod_cidrs = ["10.203.128.0/17"] }`))
	p.Apply()
	acctest.Says(t, p.Run("state", "show", acctest.RomeMilan), `status = "Connected"`)
	acctest.Says(t, p.Run("destroy", "-auto-approve"), "1 destroyed",
		`Warning: Some objects were kept on leaf "rome"`,
		`Objects that someone else created stay: PublicKey liqo-tenant-milan/milan. Liqo's record of "milan" also `+
			`stays. Therefore, Namespace liqo-tenant-milan also stays;`,
		`Warning: Some objects were kept on leaf "milan"`,
		`Objects that someone else created stay: PublicKey liqo-tenant-rome/rome. Liqo's record of "rome" also `+
			`stays. Therefore, Namespace liqo-tenant-rome also stays;`)
	for at, key := range brought {
		uid, c := key.UID, lab.Client(t, at)
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(key), key); err != nil || key.UID != uid ||
			key.DeletionTimestamp != nil {
			t.Errorf("the key of %s is gone (%v)", at, err)
		}
		var namespace corev1.Namespace // which the provider has created, and does not own any more
		if err := c.Get(t.Context(), client.ObjectKey{Name: key.Namespace}, &namespace); err != nil {
			t.Fatal(err)
		}
		if namespace.Labels[owner.ManagedByLabel] != owner.ManagedBy || len(namespace.Annotations) > 0 {
			t.Errorf("Namespace %s on %s has labels %v and annotations %v", key.Namespace, at, namespace.Labels,
				namespace.Annotations)
		}
	}

	// The next shortcut of the pair is not blocked, and its destroy leaves nothing behind once the keys are gone.
	p.Write("main.tf", lab.Between("milan", keyless))
	p.Apply()
	for at, key := range brought {
		if err := lab.Client(t, at).Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	acctest.DoesNotSay(t, p.Run("destroy", "-auto-approve"), "Warning:")
}

func TestAccAUsersSecretStaysUnchangedAfterItsGatewayIsGone(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	for _, name := range []string{"my-keys", "other-keys"} {
		lab.HaveKeys(t, "rome", name)
		lab.HaveKeys(t, "milan", name)
	}
	keys := func(name string) string {
		return lab.Between("milan", fmt.Sprintf(`
			server_gateway   = { service_type = "NodePort", key_secret = %q }
			client_gateway   = { key_secret = %q }
			client_namespace = "default"
			server_namespace = "default"`, name, name))
	}
	labelled := func(at string) (names []string) {
		for _, name := range []string{"my-keys", "other-keys"} {
			var secret corev1.Secret
			key := client.ObjectKey{Namespace: "default", Name: name}
			if err := lab.Client(t, at).Get(t.Context(), key, &secret); err != nil {
				t.Fatal(err)
			}
			if len(secret.Labels) > 0 {
				names = append(names, name)
			}
		}
		return names
	}
	// This is the state after an apply or a destroy that was killed after Liqo had removed the gateways.
	killed := func() {
		for at, gateway := range map[string]client.Object{
			"rome":  &networkingv1beta1.GatewayClient{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "milan"}},
			"milan": &networkingv1beta1.GatewayServer{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "rome"}},
		} {
			removed := lab.Gone(t, at, &corev1.PodList{})
			if err := lab.Client(t, at).Delete(t.Context(), gateway); err != nil {
				t.Fatal(err)
			}
			<-removed
		}
		if names := labelled("milan"); len(names) != 1 {
			t.Errorf("Liqo has labelled %v", names)
		}
	}
	acctest.Apply(
		t,
		resource.TestStep{
			Config:            keys("my-keys"),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
		resource.TestStep{
			PreConfig: killed, Config: keys("other-keys"), ConfigPlanChecks: acctest.InPlace(),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
		resource.TestStep{PreConfig: killed, Config: keys("other-keys"), Destroy: true},
	)
	for _, at := range []string{"rome", "milan"} {
		if names := labelled(at); len(names) > 0 {
			t.Errorf("Secrets of %s still have labels: %v", at, names)
		}
	}
}

func TestAccAUsersSecretIsRejectedInANamespaceThatADestroyRemoves(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.Written(t, lab.Between("milan", acctest.OverNodePort))
	p.Again()
	keys := acctest.WireguardKeys(t, "liqo-tenant-rome", "my-keys")
	if err := lab.Client(t, "milan").Create(t.Context(), keys); err != nil {
		t.Fatal(err)
	}
	networks := lab.Networks(t)
	p.Write("main.tf", lab.Between("milan", `server_gateway = { service_type = "NodePort", key_secret = "my-keys" }`))
	acctest.Says(t, p.Refused("plan"), `Error: Secret liqo-tenant-rome/my-keys would be deleted with the shortcut on `+
		`leaf "milan"`, "Set the namespace at this end (`client_namespace`, `server_namespace` or `namespace`)")
	lab.SameNetworks(t, networks)
	p.Write("main.tf", lab.Between("milan", acctest.OverNodePort))
	p.Run("plan", "-detailed-exitcode")
	p.Run("destroy", "-auto-approve")
}
