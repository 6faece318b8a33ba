package protocol

import (
	"fmt"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestEveryObjectThatIsLostIsMadeAgainInPlace(t *testing.T) {
	l, p := applied(t, shortcut())
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
		repaired := p.repairs()
		// A plan has unknown values only for a missing Configuration, which is a leaf's record of the other one's network.
		_, isRecord := lost.object.(*networkingv1beta1.Configuration)
		for leaf, network := range map[string]string{"rome": "server_network", "milan": "client_network"} {
			planned := at(repaired.change(romeMilan).planned, network, "remapped_pod_cidrs")
			if planned.IsKnown() == (isRecord && leaf == lost.leaf) {
				t.Errorf("without %T on %q, %s is planned to be %s", lost.object, lost.leaf, network, shown(planned))
			}
		}
		if now := l.requested(); len(now) != len(before) {
			t.Errorf("without %T on %q, the apply has made %d objects of %d", lost.object, lost.leaf, len(now), len(before))
		}
	}
}

func TestEverySettingThatSomeoneElseEditsIsCorrectedInPlace(t *testing.T) {
	l, p := applied(t, shortcut())
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
		p.repairs()
		if now := l.spec(edit.leaf, edit.object); !equality.Semantic.DeepEqual(now, before) {
			t.Errorf("after %s, %T on %q has %v, not %v", edit.patch, edit.object, edit.leaf, now, before)
		}
	}
}

// repairs applies a shortcut from Rome to Milan, which must be an update that makes it whole again.
func (p *project) repairs() *outcome {
	p.t.Helper()
	repaired := p.apply().does("update", romeMilan)
	p.has(romeMilan, "Connected", "status")
	p.hasNetworks()
	return repaired
}

// hasNetworks fails the test unless a shortcut from Rome to Milan shows their networks as Liqo has them.
func (p *project) hasNetworks() {
	p.t.Helper()
	p.has(romeMilan, p.leaves.network("milan", "rome"), "client_network")
	p.has(romeMilan, p.leaves.network("rome", "milan"), "server_network")
}

// spec returns what an object on a leaf shall be.
func (l *leaves) spec(name string, object client.Object) any {
	l.t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(read(l, name, object))
	must(l.t, err)
	return content["spec"]
}

// gateway returns a leaf's gateway for another one, with all its fields.
func (l *leaves) gateway(name, other, kind string) *unstructured.Unstructured {
	l.t.Helper()
	gateway := inTenant(&unstructured.Unstructured{}, other)
	gateway.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(kind))
	return read(l, name, gateway)
}

func TestAChangeKeepsFieldsOfGatewaysThatTheProviderDoesNotKnow(t *testing.T) {
	l, p := applied(t, shortcut())
	gateways := func() map[string]*unstructured.Unstructured {
		return map[string]*unstructured.Unstructured{
			"rome":  l.gateway("rome", "milan", networkingv1beta1.GatewayClientKind),
			"milan": l.gateway("milan", "rome", networkingv1beta1.GatewayServerKind),
		}
	}
	for name, gateway := range gateways() {
		l.patch(name, gateway, `{"spec":{"tunnels":2,"endpoint":{"ports":[51840,51841]}}}`)
	}
	p.plan().isEmpty()
	for _, settings := range []string{"mtu = 1400", `key_rotation_trigger = "first"`, "mtu = 1300"} {
		p.configure(shortcut(settings)).apply().does("update", romeMilan)
		for name, gateway := range gateways() {
			tunnels, _, _ := unstructured.NestedInt64(gateway.Object, "spec", "tunnels")
			ports, _, _ := unstructured.NestedSlice(gateway.Object, "spec", "endpoint", "ports")
			if tunnels != 2 || !equality.Semantic.DeepEqual(ports, []any{int64(51840), int64(51841)}) {
				t.Errorf("after %s, the gateway of %s has %v", settings, name, gateway.Object["spec"])
			}
		}
	}
}

func TestAPlanDoesNotLimitAGatewayWithSeveralTunnels(t *testing.T) {
	const refused = `Error: The gateway has several tunnels on leaf "milan"`
	l := leavesFor(t)
	for name, resource := range havingMilansGateway {
		t.Run(name, func(t *testing.T) {
			p := l.project(t, resource.with())
			p.apply()
			server := l.gateway("milan", "rome", networkingv1beta1.GatewayServerKind)
			tunnels := make([]*networkingv1beta1.Connection, 2)
			for i := range tunnels {
				tunnels[i] = &networkingv1beta1.Connection{ObjectMeta: metav1.ObjectMeta{
					Namespace: server.GetNamespace(), Name: fmt.Sprint("tunnel-", i),
					Labels:          map[string]string{consts.RemoteClusterID: "rome"},
					OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(server, server.GroupVersionKind())},
				}}
				l.have("milan", tunnels[i])
			}
			p.configure(resource.with("allow = []"))
			p.planFails(refused, "with "+resource.address+", allow", "GatewayServer liqo-tenant-rome/rome")
			for _, tunnel := range tunnels {
				l.lose("milan", tunnel)
			}
			p.apply().does("update", resource.address)
			p.destroy()
		})
	}
}
