package protocol

import (
	"fmt"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// gateway returns a leaf's gateway for another one, with all its fields.
func (l *leaves) gateway(name, other, kind string) *unstructured.Unstructured {
	l.t.Helper()
	gateway := inTenant(&unstructured.Unstructured{}, other)
	gateway.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(kind))
	return read(l, name, gateway)
}

func TestAChangeKeepsFieldsOfGatewaysThatTheProviderDoesNotKnow(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
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
	for _, settings := range []string{"\nmtu = 1400", "\nkey_rotation_trigger = \"first\"", "\nmtu = 1300"} {
		p.configure(between("milan", overNodePort+settings))
		p.apply().does("update", romeMilan)
		for name, gateway := range gateways() {
			tunnels, _, _ := unstructured.NestedInt64(gateway.Object, "spec", "tunnels")
			ports, _, _ := unstructured.NestedSlice(gateway.Object, "spec", "endpoint", "ports")
			if tunnels != 2 || !equality.Semantic.DeepEqual(ports, []any{int64(51840), int64(51841)}) {
				t.Errorf("after%s, the gateway of %s has %v", settings, name, gateway.Object["spec"])
			}
		}
	}
}

func TestAPlanDoesNotLimitAGatewayWithSeveralTunnels(t *testing.T) {
	const refused = `Error: The gateway has several tunnels on leaf "milan"`
	l := leavesFor(t)
	for address, config := range map[string]func(settings string) string{
		romeMilan:    func(settings string) string { return between("milan", overNodePort+settings) },
		milansServer: func(settings string) string { return endAt(milansServer, "milan", "rome", settings) },
	} {
		t.Run(address, func(t *testing.T) {
			p := l.project(t, config(""))
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
			p.configure(config("\nallow = []"))
			p.planFails(refused, "with "+address+", allow", "GatewayServer liqo-tenant-rome/rome")
			for _, tunnel := range tunnels {
				l.lose("milan", tunnel)
			}
			p.apply().does("update", address)
			p.destroy()
		})
	}
}
