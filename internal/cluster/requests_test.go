package cluster_test

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAnObjectIsAbsentOnlyIfKubernetesSaysSo(t *testing.T) {
	leaf, key := clustertest.Leaf(t, "rome"), client.ObjectKey{Namespace: "shop", Name: "web"}
	if exists, err := leaf.Get(t.Context(), key, &corev1.Service{}); exists || err != nil {
		t.Errorf("a missing Service exists: %t (%v)", exists, err)
	}
	if err := leaf.Read(t.Context(), key, &corev1.Service{}); !cluster.IsAbsent(err) {
		t.Errorf("to read a missing Service is no error: %v", err)
	}
	services := corev1.Resource("services")
	bare := apierrors.NewGenericServerResponse(http.StatusNotFound, "get", services, "web", "404", 0, true)
	clustertest.Fail[*corev1.Service](leaf, "get delete", bare)
	if exists, err := leaf.Get(t.Context(), key, &corev1.Service{}); exists || err == nil {
		t.Errorf("behind a proxy without an answer, the Service exists: %t (%v)", exists, err)
	}
	if err := leaf.Delete(t.Context(), &corev1.Service{}); err == nil {
		t.Error("behind a proxy without an answer, a Service is deleted")
	}
}
