package protocol

import (
	"maps"
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestASecondNetworkOfThePairIsAWarning(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	first := inTenant(&networkingv1beta1.Configuration{}, "milan")
	if err := l.of("rome").Get(t.Context(), client.ObjectKeyFromObject(first), first); err != nil {
		t.Fatal(err)
	}
	second := &networkingv1beta1.Configuration{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "milan", Labels: map[string]string{consts.RemoteClusterID: "milan"},
		},
		Spec: first.Spec,
	}
	l.have("rome", second)
	p.plan().says("A second network connects the pair", `Configuration default/milan on leaf "rome"`)
	p.configure(between("milan", overNodePort+"\nmtu = 1400"))
	p.applyOnce().does("update", romeMilan)
	p.destroy().says(`Warning: Some objects were kept on leaf "rome"`,
		"Objects that someone else created stay: Configuration default/milan.")
	if left := slices.Collect(maps.Keys(l.requested())); !slices.Equal(left, []string{"rome Configuration"}) {
		t.Errorf("these are left: %v", left)
	}
}

func TestLookingAtAShortcutChangesNothing(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	l.writes() // only later ones
	p.plan().isEmpty()
	p.applyOnce()
	if written := l.writes(); len(written) > 0 {
		t.Errorf("the provider has sent %v", written)
	}
}
