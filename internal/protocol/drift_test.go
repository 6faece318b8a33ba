package protocol

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestEveryObjectThatIsLostIsMadeAgainInPlace(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	connection := func(other string) client.Object {
		of := inTenant(&networkingv1beta1.Connection{}, other)
		of.Name = "gw-" + other
		return of
	}
	for _, lost := range []struct {
		leaf   string
		object client.Object
	}{
		{"rome", inTenant(&networkingv1beta1.Configuration{}, "milan")},
		{"milan", inTenant(&networkingv1beta1.Configuration{}, "rome")},
		{"rome", inTenant(&networkingv1beta1.GatewayClient{}, "milan")},
		{"milan", inTenant(&networkingv1beta1.GatewayServer{}, "rome")},
		{"rome", inTenant(&networkingv1beta1.PublicKey{}, "milan")},
		{"milan", inTenant(&networkingv1beta1.PublicKey{}, "rome")},
		{"rome", connection("milan")}, {"milan", connection("rome")},
	} {
		before := l.requested()
		l.lose(lost.leaf, lost.object)
		p.repairs(l)
		if now := l.requested(); len(now) != len(before) {
			t.Errorf("without %T on %q, the apply has made %d objects of %d", lost.object, lost.leaf, len(now), len(before))
		}
	}
}

func TestEverySettingThatSomeoneElseEditsIsCorrectedInPlace(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	const otherRange, otherKey = `{"spec":{"remote":{"cidr":{"pod":["10.222.0.0/16"]}}}}`,
		`{"spec":{"publicKey":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}`
	dials := inTenant(&networkingv1beta1.GatewayClient{}, "milan")
	listens := inTenant(&networkingv1beta1.GatewayServer{}, "rome")
	for _, edit := range []struct {
		leaf   string
		object client.Object
		patch  string
	}{
		{"rome", dials, `{"spec":{"mtu":1200}}`},
		{"milan", listens, `{"spec":{"mtu":1200}}`},
		{"milan", listens, `{"spec":{"endpoint":{"port":51999}}}`},
		{"milan", listens, `{"spec":{"serviceLabels":{"team":"other"}}}`},
		{"milan", listens, `{"spec":{"serverTemplateRef":{"name":"nothing"}}}`},
		{"rome", dials, `{"spec":{"clientTemplateRef":{"name":"nothing"}}}`},
		{"rome", dials, `{"spec":{"endpoint":{"port":31999}}}`},
		{"rome", inTenant(&networkingv1beta1.Configuration{}, "milan"), otherRange},
		{"milan", inTenant(&networkingv1beta1.Configuration{}, "rome"), otherRange},
		{"rome", inTenant(&networkingv1beta1.PublicKey{}, "milan"), otherKey},
		{"milan", inTenant(&networkingv1beta1.PublicKey{}, "rome"), otherKey},
	} {
		before := l.spec(edit.leaf, edit.object)
		l.patch(edit.leaf, edit.object, edit.patch)
		if equality.Semantic.DeepEqual(l.spec(edit.leaf, edit.object), before) {
			t.Fatalf("%s changes nothing of %T on %q", edit.patch, edit.object, edit.leaf)
		}
		p.repairs(l)
		if now := l.spec(edit.leaf, edit.object); !equality.Semantic.DeepEqual(now, before) {
			t.Errorf("after %s, %T on %q has %v, not %v", edit.patch, edit.object, edit.leaf, now, before)
		}
	}
}

// repairs applies a shortcut from Rome to Milan, which must be an update that makes it whole again.
func (p *project) repairs(l *leaves) {
	p.t.Helper()
	p.apply().does("update", romeMilan)
	p.has(romeMilan, "Connected", "status")
	p.has(romeMilan, l.network("milan", "rome"), "client_network")
	p.has(romeMilan, l.network("rome", "milan"), "server_network")
}

// spec returns what an object on a leaf shall be.
func (l *leaves) spec(name string, object client.Object) any {
	l.t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(read(l, name, object))
	must(l.t, err)
	return content["spec"]
}
