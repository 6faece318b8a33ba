package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// recordedLeaf is a leaf of a resource, as its state or plan has it. People choose cluster IDs, and choose the same
// ones in several environments. So a cluster is known by its ID and by its UID.
type recordedLeaf struct {
	attribute string // with its name: client, server or cluster
	name      string
	id        string // empty before the first apply
	uid       string // as id

	// owns reports whether a leaf has objects of the resource. Then it is the cluster also with another UID, because Liqo
	// was installed again.
	owns func(context.Context, *cluster.Leaf) (bool, error)
}

// matches reports whether a leaf is the recorded cluster. Before the first apply, every leaf is.
func (r recordedLeaf) matches(ctx context.Context, leaf *cluster.Leaf) (bool, error) {
	switch {
	case r.id == "":
		return true, nil
	case string(leaf.ID) != r.id:
		return false, nil
	case r.uid == string(leaf.UID):
		return true, nil
	default:
		return r.owns(ctx, leaf)
	}
}

// check returns an [anotherClusterError] if a leaf is not the recorded cluster.
func (r recordedLeaf) check(ctx context.Context, leaf *cluster.Leaf) error {
	if same, err := r.matches(ctx, leaf); same || err != nil {
		return err
	}
	return anotherCluster(&anotherClusterError{recorded: r, leaf: leaf})
}

// hasOwn returns the question whether a leaf has objects of the owner with this token for a remote cluster.
func hasOwn(remote, token string) func(context.Context, *cluster.Leaf) (bool, error) {
	return func(ctx context.Context, leaf *cluster.Leaf) (bool, error) {
		return shortcut.NewEndObject(leaf, remote, owner.Owner{Token: token}).End.HasOwn(ctx)
	}
}

// findRecorded returns a leaf of an existing resource. It finds the recorded cluster even if that has another name now.
// If it does not, the error is that of the name, or an [anotherClusterError].
func (l *leaves) findRecorded(ctx context.Context, recorded recordedLeaf) (*cluster.Leaf, error) {
	leaf, err := l.registry.Leaf(ctx, recorded.name)
	if err == nil {
		same, err := recorded.matches(ctx, leaf)
		switch {
		case err != nil:
			return nil, err
		case same:
			return leaf, nil
		}
	}
	if err != nil && !isUnknownName(err) || recorded.id == "" {
		return nil, err
	}
	var unread error
	match, notFound := l.registry.Search(ctx, recorded.id, func(leaf *cluster.Leaf) bool {
		same, err := recorded.matches(ctx, leaf)
		unread = errors.Join(unread, err)
		return same
	})
	switch {
	case notFound == nil:
		return match, nil
	case unread != nil:
		return nil, unread
	case err != nil:
		return nil, fmt.Errorf("%w. %s", err, detail(notFound))
	}
	another := &anotherClusterError{recorded: recorded, leaf: leaf}
	if unknown, ok := errors.AsType[*cluster.UnknownIDError](notFound); ok {
		another.silent = unknown.Silent
	}
	return nil, anotherCluster(another)
}

// moves reports whether a plan gives a resource another cluster. It may do so only with a new name, and only while the
// recorded cluster is known, because somebody has to clean it. Otherwise the error is an [anotherClusterError].
func (l *leaves) moves(
	ctx context.Context, name string, leaf *cluster.Leaf, recorded recordedLeaf,
) (bool, error) {
	if same, err := recorded.matches(ctx, leaf); same || err != nil {
		return false, err
	}
	former, err := l.findRecorded(ctx, recorded)
	switch {
	case isAnotherCluster(err):
		return true, err
	case name == recorded.name:
		return true, anotherCluster(&anotherClusterError{recorded: recorded, leaf: leaf, former: former})
	default:
		return true, nil // if the recorded cluster can't be reached, the apply says why
	}
}

// planCluster connects to the leaf that a plan names for a resource of one cluster. It is nil if the leaf can't be
// reached. If the plan gives the resource another cluster, the result has the attribute that forces a replacement.
func (l *leaves) planCluster(
	ctx context.Context, name string, recorded recordedLeaf,
) (*cluster.Leaf, path.Paths, diag.Diagnostics) {
	leaf, err := l.registry.Leaf(ctx, name)
	if err != nil {
		return nil, nil, diag.Diagnostics{l.planTrouble(ctx, name, recorded, err)}
	}
	moves, err := l.moves(ctx, name, leaf, recorded)
	switch {
	case err != nil:
		failed := failedEnd{recorded.attribute, err}
		return nil, nil, diag.Diagnostics{failed.obstacle("Nothing is changed. " + forgetAdvice)}
	case moves:
		return leaf, path.Paths{replacedAttribute("", leaf, recorded)},
			diag.Diagnostics{anotherClusterWarning(leaf, recorded)}
	default:
		return leaf, nil, nil
	}
}

// anotherClusterWarning returns the warning that a plan replaces a resource, because the name of a leaf refers to
// another cluster than the recorded one.
func anotherClusterWarning(leaf *cluster.Leaf, recorded recordedLeaf) diag.Diagnostic {
	return report("another-cluster", "Another cluster",
		fmt.Sprintf("The resource is for %s, but the name %q refers to %s. So the plan replaces the resource.",
			describeCluster(recorded.id, recorded.uid), leaf.Name, describeCluster(string(leaf.ID), string(leaf.UID)))).
		warningAt(path.Root(recorded.attribute))
}

// replacedAttribute returns the attribute that forces a replacement if a leaf is another cluster than the recorded one.
// It must be one that changes.
func replacedAttribute(prefix string, leaf *cluster.Leaf, recorded recordedLeaf) path.Path {
	if string(leaf.ID) != recorded.id {
		return path.Root(prefix + "cluster_id")
	}
	return path.Root(prefix + "cluster_uid")
}

// anotherClusterError means that a name refers to another cluster than the recorded one.
type anotherClusterError struct {
	recorded recordedLeaf
	leaf     *cluster.Leaf // that the name refers to
	former   *cluster.Leaf // the recorded cluster, if it is known under another name
	silent   []string      // leaves that may be the recorded cluster, because they did not answer
}

// Error says which cluster it was, and which it is.
func (e *anotherClusterError) Error() string {
	return fmt.Sprintf("the name %q refers to %s now, but the resource is for %s", e.leaf.Name,
		describeCluster(string(e.leaf.ID), string(e.leaf.UID)), describeCluster(e.recorded.id, e.recorded.uid))
}

// describeCluster names a cluster so that it can be told from others.
func describeCluster(id, uid string) string {
	return fmt.Sprintf("cluster %q (UID %s)", id, uid)
}

// anotherCluster returns the text for users.
func anotherCluster(err *anotherClusterError) error {
	advice := "If these are the credentials of another environment, use the right ones."
	if err.former != nil {
		advice = fmt.Sprintf("That cluster has the name %q now. Nothing is changed. To keep the resource, set `%s = %[1]q`. "+
			"To move it to the other cluster, destroy it first.", err.former.Name, err.recorded.attribute)
	}
	text := trouble.Capital(err.Error()) + "."
	if len(err.silent) > 0 {
		text += fmt.Sprintf(" It may be one of the leaves that did not answer: %q.", err.silent)
	}
	return &trouble.Problem{
		ID: "another-cluster", Summary: "another cluster", Advice: text + " " + advice, Err: err, Refused: true,
	}
}

// isAnotherCluster reports whether an error is an [anotherClusterError].
func isAnotherCluster(err error) bool {
	_, another := errors.AsType[*anotherClusterError](err)
	return another
}

// clusterUID returns the UID of a cluster for a state or plan.
func clusterUID(leaf *cluster.Leaf) types.String { return stringOrNull(string(leaf.UID)) }

func clusterUIDAttribute(which string) schema.Attribute {
	return computedString("UID of the object that holds the cluster ID on " + which + ". It tells clusters with the " +
		"same ID apart.")
}
