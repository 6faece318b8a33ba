package shortcut

import (
	"strings"
	"testing"

	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// romesKey is the key of Rome's gateway as somebody else has told it to Milan.
func romesKey(t *testing.T) client.Object {
	t.Helper()
	key, err := forge.PublicKey("liqo-tenant-rome", nil, "rome", make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	key.UID = "theirs"
	return key
}

// romesNamespace is Milan's tenant namespace for Rome, of that owner.
func romesNamespace(owner Owner) *corev1.Namespace {
	namespace := tenantnamespace.NewManager(nil, nil).ForgeNamespace("rome", nil)
	owner.mark(namespace)
	return namespace
}

func TestARemovalLeavesWhatIsSomebodyElsesAndSaysSo(t *testing.T) {
	owner := Owner{Token: "ours"}
	configuration := theirs("rome")
	owner.mark(configuration)
	for name, test := range map[string]struct {
		there     client.Object // besides the owner's Configuration and tenant namespace
		keySecret string
		kept      string
	}{
		"keys that somebody else has brought": {
			romesKey(t), "", `What somebody else has made stays: PublicKey liqo-tenant-rome/rome. So does Liqo's record of "rome". So Namespace liqo-tenant-rome stays, too`,
		},
		"the user's own Secret":                   {keySecret(nil), "my-keys", "Your Secret liqo-tenant-rome/my-keys stays. So Namespace liqo-tenant-rome stays, too"},
		"a Secret of that name that is not there": {nil, "my-keys", ""},
		"nothing": {nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			objects := []client.Object{configuration.DeepCopy(), romesNamespace(owner)}
			if test.there != nil {
				objects = append(objects, test.there)
			}
			milan := clustertest.Leaf(t, "milan", objects...)
			shortcut := New(clustertest.Leaf(t, "rome"), milan).OwnedBy(owner)
			for range 2 { // it can be repeated
				var kept []Kept
				removal := Removal{ServerKeySecret: KeySecret{Name: test.keySecret}, Kept: func(k Kept) { kept = append(kept, k) }}
				if err := shortcut.Disconnect(t.Context(), removal); err != nil {
					t.Fatal(err)
				}
				if (len(kept) == 0) != (test.kept == "") || (len(kept) == 1 && (kept[0].Leaf != "milan" || !strings.HasPrefix(kept[0].Why, test.kept))) {
					t.Errorf("kept is %v", kept)
				}
			}
			left, err := shortcut.server.tenantNamespace(t.Context())
			if err != nil || (left == nil) != (test.kept == "") || (left != nil && (!managed(left) || tokenOf(left) != "")) {
				t.Errorf("the namespace that is left is %v (%v)", left, err)
			}
			if test.there != nil {
				stays(t, milan, test.there)
			}
		})
	}
}

// stays fails the test if an object is not there, or another one in its place, or one with labels of Liqo's for a gateway's keys.
func stays(t *testing.T, leaf *cluster.Leaf, object client.Object) {
	t.Helper()
	left, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		t.Fatalf("%T is no object", object)
	}
	if err := leaf.Live.Get(t.Context(), client.ObjectKeyFromObject(object), left); err != nil || left.GetUID() != object.GetUID() {
		t.Errorf("%s is not as it was (%v)", leaf.Describe(object), err)
	}
	if _, secret := left.(*corev1.Secret); secret && cluster.RemoteID(left) != "" {
		t.Errorf("the Secret still has labels: %v", left.GetLabels())
	}
}

func TestKeysThatOthersHaveBroughtStayTheirs(t *testing.T) {
	owner := Owner{Token: "ours"}
	ownKey, left := romesKey(t), romesKey(t)
	owner.mark(ownKey)
	Owner{}.mark(left)
	for name, test := range map[string]struct {
		key   client.Object
		taken bool
	}{
		"somebody else's":                    {romesKey(t), false},
		"the owner's from before":            {ownKey, true},
		"what a killed create has left over": {left, true},
	} {
		shortcut := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", test.key)).OwnedBy(owner)
		spec := Spec{KeysByOthers: true}
		if err := shortcut.CheckFree(t.Context(), spec); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := shortcut.take(t.Context(), shortcut.server, spec); err != nil {
			t.Fatal(err)
		}
		if found, err := shortcut.server.find(t.Context()); err != nil || owner.owns(found.publicKey) != test.taken {
			t.Errorf("%s: it is marked %v (%v)", name, found.publicKey.Annotations, err)
		}
	}
}

func TestASecretIsAsItWasAlsoIfItsGatewayIsGoneAlready(t *testing.T) {
	milan := clustertest.Leaf(t, "milan", keySecret(nil))
	server := New(clustertest.Leaf(t, "rome"), milan).server
	if err := server.removeGateways(t.Context(), KeySecret{Name: "my-keys"}); err != nil {
		t.Fatal(err)
	}
	stays(t, milan, keySecret(nil))
}

func TestARepairTakesTheLabelsOffAFormerSecretOnly(t *testing.T) {
	former := KeySecret{Namespace: "liqo-tenant-rome", Name: "my-keys"}
	using := func(name string) client.Object {
		gateway := exposedGateway()
		gateway.Spec.SecretRef.Name = name
		return gateway
	}
	for name, test := range map[string]struct {
		gateway  []client.Object
		labelled bool
	}{
		"the gateway is gone":         {nil, false},
		"the gateway uses another":    {[]client.Object{using("other-keys")}, false},
		"the gateway still uses that": {[]client.Object{using("my-keys")}, true},
	} {
		milan := clustertest.Leaf(t, "milan", append(test.gateway, keySecret(nil))...)
		if err := makeRoom(New(clustertest.Leaf(t, "rome"), milan).server, EndSpec{FormerKeySecret: former})(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		var secret corev1.Secret
		if err := milan.Live.Get(t.Context(), client.ObjectKey(former), &secret); err != nil || (cluster.RemoteID(&secret) != "") != test.labelled {
			t.Errorf("%s: labels are %v (%v)", name, secret.Labels, err)
		}
	}
}
