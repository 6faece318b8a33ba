package liqo

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestListsOfPortsAreReadAsTheyAreWritten(t *testing.T) {
	for _, ports := range []Ports{
		{},
		{Listed: []int32{51840, 51841}},
		{Listed: []int32{51840, 51841}, Nodes: []int32{31000, 31007}},
	} {
		gateway := map[string]any{"spec": map[string]any{"endpoint": map[string]any{"serviceType": "NodePort"}}}
		ports.AddTo(gateway)
		if got := portsAt(&unstructured.Unstructured{Object: gateway}, "spec"); !reflect.DeepEqual(got, ports) {
			t.Errorf("wrote %+v, read %+v", ports, got)
		}
	}
}

func TestFieldsOfACustomBuildAreNoListsOfPorts(t *testing.T) {
	for name, endpoint := range map[string]any{
		"no endpoint":     nil,
		"a text":          "51840",
		"a text as ports": map[string]any{"ports": "51840-51843"},
		"named ports":     map[string]any{"ports": []any{map[string]any{"name": "first", "port": int64(51840)}}},
	} {
		gateway := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"endpoint": endpoint}}}
		if got := portsAt(gateway, "status"); !reflect.DeepEqual(got, Ports{}) {
			t.Errorf("%s: read %+v", name, got)
		}
	}
}
