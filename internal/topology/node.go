package topology

import (
	"context"
	"errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Node is a cluster.
type Node struct {
	Name      string // the user's
	ClusterID string // Liqo's; empty unless Status is Ready
	Central   bool
	Status    NodeStatus
	Err       error // why Status is not Ready; nil if it is
}

// NodeStatus reports whether a cluster could be read.
type NodeStatus string

// The values of [NodeStatus].
const (
	Ready       NodeStatus = "Ready"
	Unreachable NodeStatus = "Unreachable" // its API server does not answer
	NoLiqo      NodeStatus = "NoLiqo"      // it answers, but has no Liqo
	Refused     NodeStatus = "Error"       // it can't be read for another reason
)

func statusOf(err error) NodeStatus {
	switch {
	case err == nil:
		return Ready
	case cluster.NoLiqo(err):
		return NoLiqo
	case cluster.Unreachable(err), errors.Is(err, context.DeadlineExceeded):
		return Unreachable
	default:
		return Refused
	}
}
