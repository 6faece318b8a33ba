package real

import (
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fault"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
)

// Place is a pod or a node.
type Place struct {
	*sandbox.Sandbox
	// Device is the pod's device in its node, or empty.
	Device string
}

// Place returns the place with a name: cluster/namespace/name of a pod, or cluster/name of a node.
func (r *Real) Place(name string) (Place, error) {
	const partsOfNode, partsOfPod = 2, 3
	parts := strings.Split(name, "/")
	if len(parts) != partsOfNode && len(parts) != partsOfPod {
		return Place{}, fmt.Errorf("%q is not cluster/namespace/name of a pod, nor cluster/name of a node", name)
	}
	r.mu.Lock()
	l := r.leaves[parts[0]]
	r.mu.Unlock()
	if l == nil {
		return Place{}, fmt.Errorf("the data plane has no cluster %q", parts[0])
	}
	if len(parts) == partsOfNode {
		return l.nodeNamed(parts[1])
	}
	return l.podNamed(client.ObjectKey{Namespace: parts[1], Name: parts[2]})
}

func (l *leaf) nodeNamed(name string) (Place, error) {
	for _, n := range l.nodes {
		if n.Name == name {
			return Place{Sandbox: n.Sandbox}, nil
		}
	}
	return Place{}, fmt.Errorf("cluster %s has no node %q", l.Name, name)
}

func (l *leaf) podNamed(key client.ObjectKey) (Place, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	running := l.pods[key]
	if running == nil {
		return Place{}, fmt.Errorf("no pod %s runs in cluster %s", key, l.Name)
	}
	return Place{running.Sandbox, running.device}, nil
}

// Faults returns the faults of the place with a name. A new pod of the same name has none.
func (r *Real) Faults(name string) (*fault.Faults, error) {
	place, err := r.Place(name)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.faults[name]; known != nil && known.In(place.Sandbox) {
		return known, nil
	}
	r.faults[name] = fault.New(place.Sandbox)
	return r.faults[name], nil
}
