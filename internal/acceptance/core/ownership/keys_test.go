package ownership

import (
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
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
		acctest.Must(t, lab.Client(t, of).Get(t.Context(), name, &keys))
		key, err := forge.PublicKey("liqo-tenant-"+of, nil, liqov1beta1.ClusterID(of), keys.Data["publicKey"])
		acctest.Must(t, err)
		acctest.Must(t, lab.Client(t, at).Create(t.Context(), key))
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
		acctest.Must(t, c.Get(t.Context(), client.ObjectKey{Name: key.Namespace}, &namespace))
		if namespace.Labels[owner.ManagedByLabel] != owner.ManagedBy || len(namespace.Annotations) > 0 {
			t.Errorf("Namespace %s on %s has labels %v and annotations %v", key.Namespace, at, namespace.Labels,
				namespace.Annotations)
		}
	}

	// The next shortcut of the pair is not blocked, and its destroy leaves nothing behind once the keys are gone.
	p.Write("main.tf", lab.Between("milan", keyless))
	p.Apply()
	for at, key := range brought {
		acctest.Must(t, lab.Client(t, at).Delete(t.Context(), key))
	}
	acctest.DoesNotSay(t, p.Run("destroy", "-auto-approve"), "Warning:")
}
