package acctest

import (
	"context"
	"testing"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// IDObject returns the object in which Liqo keeps a cluster's ID.
func (l *Lab) IDObject(t *testing.T, name string) *corev1.ConfigMap {
	t.Helper()
	ctx, c := context.WithoutCancel(t.Context()), l.Client(t, name) // it also works in a cleanup
	var maps corev1.ConfigMapList
	err := c.List(ctx, &maps, client.InNamespace("liqo"),
		client.MatchingLabelsSelector{Selector: consts.ClusterIDConfigMapSelector()})
	if err != nil || len(maps.Items) != 1 {
		t.Fatalf("%d ConfigMaps have the ID of %s (%v)", len(maps.Items), name, err)
	}
	return &maps.Items[0]
}

// CallCluster gives a cluster another ID, which all other clusters see.
func (l *Lab) CallCluster(t *testing.T, name, id string) {
	t.Helper()
	before := l.IDObject(t, name)
	known := before.DeepCopy()
	known.Data[consts.ClusterIDConfigMapKey] = id
	if err := l.Client(t, name).Patch(context.WithoutCancel(t.Context()), known, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}
