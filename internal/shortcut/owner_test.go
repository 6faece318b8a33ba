package shortcut

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var (
	me       = Owner{Token: "me", Origin: Origin{Folder: "mine"}}
	somebody = Owner{Token: "somebody", Origin: Origin{Who: "alice@ci", Folder: "theirs"}}
)

// completed is a network of that owner that was once whole.
func completed(owner Owner, configuration *networkingv1beta1.Configuration) *networkingv1beta1.Configuration {
	owner.mark(configuration)
	setAnnotation(configuration, completeAnnotation, owner.Token+" "+time.Now().UTC().Format(time.RFC3339))
	return configuration
}

// belongings are networks of every kind of owner, as Rome holds them; each is one Configuration, and what else shows whose it is.
func belongings() map[string][]client.Object {
	abandoned, adopting := theirs("milan"), theirs("milan")
	somebody.mark(abandoned)
	setAnnotation(adopting, previousAnnotation, previous{}.encode())
	somebody.mark(adopting)
	return map[string][]client.Object{
		"mine":                                  {completed(me, theirs("milan"))},
		"another's":                             {completed(somebody, theirs("milan"))},
		"nobody's":                              {ours(theirs("milan"))},
		"abandoned by a create that was killed": {abandoned},
		"abandoned by an adoption that was killed": {adopting},
		"made by liqoctl":                          {theirs("milan")},
		"a peering's":                              {theirs("milan"), peer("milan", liqov1beta1.ProviderRole)},
	}
}

// joinedAtRome is my shortcut, where Rome holds these objects.
func joinedAtRome(t *testing.T, objects []client.Object) *Shortcut {
	t.Helper()
	return New(leafWith(t, "rome", objects...), leafWith(t, "milan")).OwnedBy(me)
}

// atRome is the Configuration that Rome holds; nil for none.
func (s *Shortcut) atRome(t *testing.T) *networkingv1beta1.Configuration {
	t.Helper()
	found, err := s.client.find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found.configuration
}

// connectUntilTaken lets a connect go on until the Configuration on Rome is mine, or it is refused.
func (s *Shortcut) connectUntilTaken(t *testing.T, spec Spec) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer cancel()
		_ = s.client.leaf.Until(ctx, "milan", func(ctx context.Context) (bool, error) {
			found, err := s.client.find(ctx)
			return found.configuration != nil && me.marked(found.configuration) && found.configuration.Annotations[originAnnotation] != "", err
		}, &networkingv1beta1.Configuration{})
	}()
	return s.Connect(ctx, spec)
}

func TestConnectTakesWhatIsMineOrNobodys(t *testing.T) {
	refused := map[string]bool{
		"another's": true, "made by liqoctl": true, "a peering's": true, "abandoned by an adoption that was killed": true,
	}
	for name, objects := range belongings() {
		t.Run(name, func(t *testing.T) {
			s := joinedAtRome(t, objects)
			before := s.atRome(t)
			err := s.connectUntilTaken(t, overNodePort)
			if err == nil {
				t.Fatal("without Liqo, it can't succeed")
			}
			after := s.atRome(t)
			if refused[name] {
				if after.ResourceVersion != before.ResourceVersion {
					t.Errorf("it was refused, and changed %v to %v", before.ObjectMeta, after.ObjectMeta)
				}
				return
			}
			if !me.marked(after) {
				t.Errorf("it is not mine: %v (%v)", after.Annotations, err)
			}
		})
	}
}

func TestOnlyAnotherResourceIsARival(t *testing.T) {
	for name, objects := range belongings() {
		err := joinedAtRome(t, objects).CheckFree(t.Context(), overNodePort)
		if IsRival(err) != (name == "another's") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnAdoptionThatFailsLeavesEverybodyWhatTheyHad(t *testing.T) {
	given := []string{"another's", "made by liqoctl", "a peering's"}
	for name, objects := range belongings() {
		t.Run(name, func(t *testing.T) {
			spec := overNodePort
			spec.Adopt = true
			s := joinedAtRome(t, objects)
			before := s.atRome(t)
			if err := s.connectUntilTaken(t, spec); err == nil {
				t.Fatal("without Liqo, it can't succeed")
			}
			after := s.atRome(t)
			if !slices.Contains(given, name) {
				return
			}
			if !maps.Equal(before.Labels, after.Labels) || tokenOf(before) != tokenOf(after) {
				t.Errorf("it was marked %v, %v and is %v, %v", before.Labels, before.Annotations, after.Labels, after.Annotations)
			}
		})
	}
}

func TestObserveSeesWhatIsMine(t *testing.T) {
	for name, objects := range belongings() {
		state, err := joinedAtRome(t, objects).Observe(t.Context(), false)
		if err != nil || !state.Joined || state.Exists != (name == "mine") {
			t.Errorf("%s: exists: %t, joined: %t (%v)", name, state.Exists, state.Joined, err)
		}
	}
}

func TestAnImportClaimsWhatHasNoOtherOwner(t *testing.T) {
	claimed := me
	claimed.Claims = true
	for name, objects := range belongings() {
		state, err := joinedAtRome(t, objects).OwnedBy(claimed).Observe(t.Context(), false)
		if expected := tokenOf(objects[0]) != somebody.Token; err != nil || state.Exists != expected {
			t.Errorf("%s: exists: %t (%v)", name, state.Exists, err)
		}
	}
}

func TestDisconnectRemovesWhatIsMineOrNobodys(t *testing.T) {
	for name, objects := range belongings() {
		s := joinedAtRome(t, objects)
		if err := s.Disconnect(t.Context(), Removal{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if gone := s.atRome(t) == nil; gone != (name == "mine" || name == "nobody's") {
			t.Errorf("%s: gone: %t", name, gone)
		}
	}
}

func TestConfigurationsThatAreKeptAreNobodys(t *testing.T) {
	s := joinedAtRome(t, belongings()["mine"])
	if err := s.Disconnect(t.Context(), Removal{KeepConfigurations: true}); err != nil {
		t.Fatal(err)
	}
	if kept := s.atRome(t); kept == nil || me.of(kept) != nobodys {
		t.Errorf("left is %v", kept)
	}
}

func TestASecondNetworkOfThePairIsNoObstacleToMine(t *testing.T) {
	second := theirs("milan")
	second.Namespace = "elsewhere"
	s := joinedAtRome(t, append(belongings()["mine"], second))
	if err := s.CheckFree(t.Context(), overNodePort); err != nil {
		t.Error(err)
	}
	if err := s.Disconnect(t.Context(), Removal{}); err != nil {
		t.Error(err)
	}
	if left := s.atRome(t); left == nil || left.Namespace != "elsewhere" {
		t.Errorf("left is %v", left)
	}
}

func TestBothDirectionsOfAPairWaitForEachOther(t *testing.T) {
	rome, milan := leafWith(t, "rome"), leafWith(t, "milan")
	there, back := New(rome, milan).first(), New(milan, rome).first()
	if there.leaf != back.leaf || leaseName(there) != leaseName(back) {
		t.Errorf("one direction takes lease %s on %s, the other %s on %s", leaseName(there), there.leaf.Name, leaseName(back), back.leaf.Name)
	}
}
