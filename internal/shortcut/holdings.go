package shortcut

import (
	"context"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// holdings are what one leaf holds of all its networks and peerings, by the ID of the other cluster.
type holdings struct {
	networks map[string]objects
	peerings map[string]*liqov1beta1.ForeignCluster
}

// holdingsOf reads each kind once, however many networks there are. The networks are in the cache; the peerings are asked for.
func holdingsOf(ctx context.Context, leaf *cluster.Leaf) (holdings, error) {
	networks, err := readNetworks(ctx, leaf, &client.ListOptions{}, Owner{})
	if err != nil {
		return holdings{}, err
	}
	held := holdings{networks: networks, peerings: map[string]*liqov1beta1.ForeignCluster{}}
	var foreign liqov1beta1.ForeignClusterList
	if err := leaf.Live.List(ctx, &foreign); err != nil {
		return holdings{}, leaf.Explain(err)
	}
	for i := range foreign.Items {
		if peered(&foreign.Items[i]) {
			held.peerings[string(foreign.Items[i].Spec.ClusterID)] = &foreign.Items[i]
		}
	}
	return held, nil
}
