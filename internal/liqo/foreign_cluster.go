package liqo

import (
	"context"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	fcutils "github.com/liqotech/liqo/pkg/utils/foreigncluster"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Lister lists objects of a leaf, from its cache or from its API server.
type Lister func(ctx context.Context, list client.ObjectList, options ...client.ListOption) error

// ForeignCluster returns Liqo's record of another cluster, or nil if there is none.
func ForeignCluster(ctx context.Context, list Lister, id liqov1beta1.ClusterID) (*liqov1beta1.ForeignCluster, error) {
	var all liqov1beta1.ForeignClusterList
	err := list(ctx, &all, client.MatchingLabels{consts.RemoteClusterID: string(id)})
	if err != nil {
		return nil, err
	}
	return fcutils.GetOlderForeignCluster(&all), nil
}
