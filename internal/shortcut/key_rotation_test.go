package shortcut

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// toRotate returns a shortcut between two leaves of Liqo, and how it was made.
func toRotate(t *testing.T) (*Shortcut, Spec) {
	t.Helper()
	s, spec := toConnect(t)
	spec.WaitForConnection = true
	s.connects(t, spec)
	for _, e := range s.Ends() {
		must(t, e.Leaf.Edit(t.Context(), gatewayAt(t, e), func(gateway client.Object) {
			gateway.SetAnnotations(map[string]string{beforeRotations: "yes"})
		}))
	}
	return s, spec
}

// beforeRotations is an annotation on the gateways. Those that replace them do not have it.
const beforeRotations = "example.com/before-rotations"

// gatewayAt returns the gateway of an end, or nil.
func gatewayAt(t *testing.T, e *end.End) client.Object {
	t.Helper()
	objects, err := e.Find(t.Context())
	if must(t, err); objects.Gateway == nil {
		return nil
	}
	return objects.Gateway.Object
}

// expectSameGateways fails if a rotation has replaced a gateway.
func expectSameGateways(t *testing.T, s *Shortcut) {
	t.Helper()
	for _, e := range s.Ends() {
		if gatewayAt(t, e).GetAnnotations()[beforeRotations] == "" {
			t.Errorf("the gateway of %s is another one", e.Leaf.Name)
		}
	}
}

// keySecrets returns the Secrets of a leaf, by name.
func keySecrets(t *testing.T, leaf *cluster.Leaf) map[string]corev1.Secret {
	t.Helper()
	var all corev1.SecretList
	must(t, leaf.Clients().Live.List(context.WithoutCancel(t.Context()), &all))
	byName := map[string]corev1.Secret{}
	for _, secret := range all.Items {
		byName[secret.Name] = secret
	}
	return byName
}

// publicKeys returns the key of either gateway that the other leaf was told.
func publicKeys(t *testing.T, s *Shortcut) []string {
	t.Helper()
	n := s.found(t)
	return []string{string(n.client.PublicKey.Spec.PublicKey), string(n.server.PublicKey.Spec.PublicKey)}
}

// expectKeys fails unless each leaf has one Secret with keys, and the other leaf has its public key.
func expectKeys(t *testing.T, s *Shortcut) {
	t.Helper()
	n := s.found(t)
	for _, side := range []struct {
		leaf *cluster.Leaf
		told []byte
	}{{s.Client.Leaf, n.server.PublicKey.Spec.PublicKey}, {s.Server.Leaf, n.client.PublicKey.Spec.PublicKey}} {
		secrets := keySecrets(t, side.leaf)
		for name, secret := range secrets {
			if !bytes.Equal(secret.Data["publicKey"], side.told) {
				t.Errorf("%s has other keys in %s than the other leaf was told", side.leaf.Name, name)
			}
		}
		if len(secrets) != 1 {
			t.Errorf("%s has %d Secrets with keys", side.leaf.Name, len(secrets))
		}
	}
}

func TestARotationGivesBothGatewaysOtherKeysInPlace(t *testing.T) {
	s, spec := toRotate(t)
	seen := publicKeys(t, s)
	for _, rotation := range []string{"first", "second", "third"} {
		spec.KeyRotation = rotation
		for range 2 { // the second time changes nothing
			s.connects(t, spec)
		}
		expectKeys(t, s)
		expectSameGateways(t, s)
		for _, key := range publicKeys(t, s) {
			if slices.Contains(seen, key) {
				t.Errorf("%s: a key is one from before", rotation)
			}
			seen = append(seen, key)
		}
		if state := s.seen(t); state.Status != Connected ||
			state.ClientGateway.KeyRotation != rotation || state.ServerGateway.KeyRotation != rotation ||
			state.ServerGateway.KeySecret != "" || state.ClientGateway.KeySecret != "" {
			t.Errorf("%s: it is %+v", rotation, state)
		}
	}
	spec.KeyRotation = ""
	s.connects(t, spec)
	expectKeys(t, s)
	if !slices.Contains(seen, publicKeys(t, s)[0]) {
		t.Error("without a rotation, the keys change")
	}
	must(t, s.Disconnect(t.Context(), Removal{}))
	for _, e := range s.Ends() {
		if left := keySecrets(t, e.Leaf); len(left) > 0 {
			t.Errorf("%s still has %d Secrets with keys", e.Leaf.Name, len(left))
		}
	}
}

// dieAfter lets all writes of both leaves fail after the given number of them, as if the provider was killed.
func dieAfter(writes int64, leaves ...*cluster.Leaf) (revive func()) {
	errKilled := errors.New("killed")
	var done atomic.Int64
	for _, leaf := range leaves {
		clustertest.On(leaf, "create apply patch delete", func(call clustertest.Call[any]) error {
			if done.Add(1) > writes {
				return errKilled
			}
			return call.Send()
		})
	}
	return func() { done.Store(math.MinInt64) }
}

func TestARotationThatIsKilledAnywhereIsFinishedByTheNextApply(t *testing.T) {
	finished := false
	for writes := int64(0); !finished; writes++ {
		synctest.Test(t, func(t *testing.T) { // the lease of a killed apply has to expire
			s, spec := toRotate(t)
			for _, rotation := range []string{"first", "second"} { // the former Secret has either name
				before := publicKeys(t, s)
				spec.KeyRotation = rotation
				finished = killedAfter(t, s, spec, writes)
				s.connects(t, spec)
				expectKeys(t, s)
				expectSameGateways(t, s)
				if after := publicKeys(t, s); after[0] == before[0] || after[1] == before[1] {
					t.Errorf("after %d writes, a key is the same", writes)
				}
			}
		})
	}
}

// Otherwise each apply would restart the gateway again, because its pods seem to have former keys.
func TestARotationThatWasInterruptedAndIsNotWantedAnyLongerIsOver(t *testing.T) {
	s, spec := toRotate(t)
	spec.KeyRotation = "first"
	s.connects(t, spec)
	rotation := func() string {
		return keySecrets(t, s.Server.Leaf)["gw-rome"].Annotations[liqo.RotationAnnotation]
	}
	secret := keySecrets(t, s.Server.Leaf)["gw-rome"]
	must(t, s.Server.Leaf.Edit(t.Context(), &secret, func(secret client.Object) {
		cluster.SetAnnotation(secret, liqo.RotationAnnotation, "second")
	}))
	if rotation() != "second" {
		t.Fatal("no rotation is under way")
	}
	s.connects(t, spec)
	if got := rotation(); got != "first" {
		t.Errorf("rotation %q is still under way", got)
	}
}
