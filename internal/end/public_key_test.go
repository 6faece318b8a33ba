package end

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestAGatewayShakesHandsAgainOnlyIfItsConnectionIsMissingAndItDoesNotRestart(t *testing.T) {
	connection := clustertest.Connection("rome", "")
	for name, test := range map[string]struct {
		more     []client.Object
		restarts bool
		again    bool
	}{
		"a Connection":                    {[]client.Object{connection}, false, false},
		"no Connection":                   {nil, false, true},
		"no Connection until it restarts": {nil, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			gateway, key := exposedGateway(), make([]byte, 32)
			known, err := forge.PublicKey("liqo-tenant-rome", nil, "rome", key)
			must(t, err)
			known.UID = "known"
			server := milansEnd(t, append(test.more, gateway, ours(known))...)
			ensured := EnsuredGateway{Object: gateway, Restarts: test.restarts}
			_, err = server.EnsurePublicKey(t.Context(), key, ensured)
			must(t, err)
			if left := found(t, server).PublicKey; left == nil || left.UID != "known" ||
				(left.Annotations[handshakeAnnotation] != "") != test.again {
				t.Errorf("the PublicKey is %v", left)
			}
		})
	}
}

func TestAnEditedKeyIsDetectedWithoutTheGatewaysSecret(t *testing.T) {
	gateway := exposedGateway()
	server := milansEnd(t, gateway)
	_, err := server.EnsurePublicKey(t.Context(), make([]byte, 32), EnsuredGateway{Object: gateway})
	must(t, err)
	objects := found(t, server)
	if !KeyInPlace(objects) {
		t.Fatal("it is edited already")
	}
	objects.PublicKey.Spec.PublicKey = append(make([]byte, 31), 1)
	must(t, server.Leaf.Clients().Live.Update(t.Context(), objects.PublicKey))
	if KeyInPlace(found(t, server)) {
		t.Error("nobody notices")
	}
}

func TestTheKeyOfANewGatewayIsTheOneThatIsSeenFirstButNotThatOfAFormerOne(t *testing.T) {
	now, before := clustertest.NewKeys(t), clustertest.NewKeys(t)
	gateway := clustertest.WithServerKeys(clustertest.GatewayServer("rome", 51840))
	gateway.UID = "now"
	secretOf := func(owner types.UID, keys map[string][]byte) *corev1.Secret {
		secret := keysOf("rome", keys)
		secret.OwnerReferences = []metav1.OwnerReference{{Kind: networkingv1beta1.GatewayServerKind, UID: owner}}
		return secret
	}
	for name, test := range map[string]struct {
		seen    []client.Object
		answers bool // the leaf does, when that was seen
	}{
		"it is seen":                   {[]client.Object{secretOf("now", now)}, false},
		"a former one is seen before":  {[]client.Object{secretOf("before", before), secretOf("now", now)}, false},
		"only a former one is seen":    {[]client.Object{secretOf("before", before)}, true},
		"a Secret is seen without one": {[]client.Object{secretOf("now", nil)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			server := milansEnd(t, gateway.DeepCopy(), secretOf("now", now))
			seen, told := make(chan client.Object), make(chan struct{})
			clustertest.On(server.Leaf, "get", func(call clustertest.Call[any]) error {
				if <-told; !test.answers {
					<-call.Context.Done()
					return call.Context.Err()
				}
				return call.Send()
			})
			go func() {
				defer close(told)
				for _, secret := range test.seen {
					seen <- secret
				}
			}()
			key, err := server.WaitForKey(t.Context(), EnsuredGateway{Object: gateway, keys: seen})
			if err != nil || !slices.Equal(key, now["publicKey"]) {
				t.Errorf("another key (%v)", err)
			}
		})
	}
}

func TestTheStatusOfAConnectionIsRenewedOnlyIfLiqoResetsIt(t *testing.T) {
	old, other := make([]byte, 32), append(make([]byte, 31), 1)
	for name, test := range map[string]struct {
		key     []byte // it is told the old one
		older   bool
		renewed bool
	}{
		"another key, Liqo 1.2":         {other, false, false},
		"another key, Liqo 1.1":         {other, true, true},
		"the same key, Liqo 1.1":        {old, true, false},
		"a deleted PublicKey, Liqo 1.1": {nil, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			gateway := exposedGateway()
			server := milansEnd(t, gateway)
			ensured := EnsuredGateway{Object: gateway}
			_, err := server.EnsurePublicKey(t.Context(), old, ensured)
			must(t, err)
			must(t, server.Leaf.Clients().Live.Create(t.Context(), clustertest.Connection("rome", networkingv1beta1.Connected)))
			if test.older {
				clustertest.OlderLiqo(server.Leaf)
			}
			if test.key == nil {
				must(t, server.Leaf.Clients().Live.DeleteAllOf(t.Context(), &networkingv1beta1.PublicKey{},
					client.InNamespace(gateway.Namespace)))
				test.key = old
			}
			_, err = server.EnsurePublicKey(t.Context(), test.key, ensured)
			must(t, err)
			if connection := found(t, server).Connection; (connection == nil) != test.renewed {
				t.Errorf("the Connection is %v", connection)
			}
		})
	}
}

func TestALonePublicKeyIsCompleteAtOnceAndWrittenOnlyIfTheKeyChanges(t *testing.T) {
	server := milansEnd(t)
	server.Owner = owner.Owner{
		Token: "me", Resource: owner.PublicKeyResource, Origin: owner.Origin{CreatedAt: time.Unix(1, 0)},
	}
	var versions []string
	for i, first := range []byte{1, 1, 2} {
		server.Owner.Origin.CreatedAt = time.Unix(int64(i), 0)
		key := append([]byte{first}, make([]byte, 31)...)
		must(t, server.EnsureLonePublicKey(t.Context(), "liqo-tenant-rome", key))
		told := found(t, server).PublicKey
		if len(told.OwnerReferences) > 0 {
			t.Fatalf("the PublicKey is %v", told)
		}
		delete(told.Annotations, handshakeAnnotation)
		told.ResourceVersion, told.ManagedFields = "", nil
		text, err := json.Marshal(told)
		must(t, err)
		versions = append(versions, string(text))
	}
	if versions[0] != versions[1] || versions[1] == versions[2] {
		t.Errorf("the PublicKey was\n%s", strings.Join(versions, "\n"))
	}
}
