package inspect

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
