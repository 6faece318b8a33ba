// Package inspect reads the objects in the clusters of a lab.
package inspect

import (
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// qps and burst are the limits of requests to one cluster. They are high because there are no other
// clients to protect.
const qps, burst = 500, 1000

func clientConfig(cluster labdir.Cluster) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", cluster.Kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = qps, burst
	config.WarningHandler = rest.NoWarnings{}
	return config, nil
}
