package shortcut

import (
	"errors"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// Shortcut is a pair of leaves that are joined directly, or shall be. It holds no state: what there is of it is on the leaves.
type Shortcut struct {
	client, server *side
}

// side is one leaf's part of a shortcut.
type side struct {
	leaf   *cluster.Leaf
	remote Remote
	owner  Owner
}

// Remote is the cluster at the other end, as one side knows it.
type Remote struct {
	Name string                // the user's name for it
	ID   liqov1beta1.ClusterID // Liqo's
}

// New returns the shortcut through which client dials server. It belongs to nobody in particular: see [Shortcut.OwnedBy].
func New(client, server *cluster.Leaf) *Shortcut {
	return &Shortcut{
		client: &side{leaf: client, remote: Remote{Name: server.Name, ID: server.ID}},
		server: &side{leaf: server, remote: Remote{Name: client.Name, ID: client.ID}},
	}
}

// OwnedBy makes it the shortcut of one resource instance: what that one owns counts as its, and what it makes is marked with its token.
func (s *Shortcut) OwnedBy(owner Owner) *Shortcut {
	for _, on := range s.ends() {
		on.owner = owner
	}
	return s
}

// Client and Server are the two ends.
func (s *Shortcut) Client() *side { return s.client }

// Server is described with [Shortcut.Client].
func (s *Shortcut) Server() *side { return s.server }

func (s *Shortcut) ends() []*side { return []*side{s.client, s.server} }

// IsMissing reports whether a problem is that something does not exist which whoever applies has to make.
func IsMissing(err error) bool {
	_, ok := errors.AsType[*explain.Problem](err)
	return ok && apierrors.IsNotFound(err)
}
