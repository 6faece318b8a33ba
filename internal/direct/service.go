package direct

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Service is a Service of a central cluster.
type Service struct {
	// Centre is the central cluster.
	Centre *cluster.Leaf
	// Namespace and Name are those of the Service.
	Namespace, Name string

	leafByID Connect
}

// Connect finds and connects a leaf by its cluster ID.
type Connect func(ctx context.Context, id string) (*cluster.Leaf, error)

// New returns a Service of a central cluster, whose leaves leafByID connects.
func New(centre *cluster.Leaf, namespace, name string, leafByID Connect) *Service {
	return &Service{Centre: centre, Namespace: namespace, Name: name, leafByID: leafByID}
}

// key is the Service's name in the centre.
func (s *Service) key() client.ObjectKey {
	return client.ObjectKey{Namespace: s.Namespace, Name: s.Name}
}

// ID returns the cluster ID of the centre, the namespace and the name, separated by slashes.
func (s *Service) ID() string { return string(s.Centre.ID) + "/" + s.key().String() }

// String returns the name of the Service, for messages.
func (s *Service) String() string { return "Service " + s.key().String() }
