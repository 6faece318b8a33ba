package inspect

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestAResourceIsFoundByAnyOfItsNames(t *testing.T) {
	kind := &metav1.APIResource{
		Name: "connections", SingularName: "connection", Kind: "Connection", ShortNames: []string{"conn"},
	}
	for _, word := range []string{"connections", "connection", "Connection", "conn", "connections.networking.liqo.io"} {
		if !matches(word, kind, "networking.liqo.io") {
			t.Errorf("%s is not found", word)
		}
	}
	if matches("configurations", kind, "networking.liqo.io") {
		t.Error("configurations are connections")
	}
}

func TestOnlyWhatLiqoKeepsForGoodIsLeftOutOfTheInventory(t *testing.T) {
	for _, test := range []struct {
		resource, namespace, name string
		left                      bool
	}{
		{"routeconfigurations", "liqo", "rome-node-gw-node", true},
		{"routeconfigurations", "liqo", "rome-node-extcidr", true},
		{"routeconfigurations", "liqo", "rome-node-service-nodeport-routing", true},
		{"firewallconfigurations", "liqo", "service-nodeport-routing", true},
		{"firewallconfigurations", "liqo", "gw-mss-clamping", false},
		{"routeconfigurations", "liqo-tenant-milan", "rome-node-gw-node", false},
		{"routeconfigurations", "liqo", "milan-node-gw-node", false},
		{"connections", "liqo", "service-nodeport-routing", false},
	} {
		gvr := schema.GroupVersionResource{Group: "networking.liqo.io", Version: "v1beta1", Resource: test.resource}
		obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: test.namespace, Name: test.name}}
		if got := leftByLiqo(gvr, obj, "rome-node"); got != test.left {
			t.Errorf("%s %s/%s: %v", test.resource, test.namespace, test.name, got)
		}
	}
}

func TestALineNamesTheObjectAndItsType(t *testing.T) {
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "x"}}
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	if got, want := line("rome", pods, obj), "rome v1/pods liqo/x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	obj.Namespace = ""
	deployments := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	if got, want := line("rome", deployments, obj), "rome apps/v1/deployments x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
