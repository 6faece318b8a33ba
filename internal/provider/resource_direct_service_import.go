package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
)

// directServiceIdentity is the identity of a liqo_direct_service. It does not depend on the name of the cluster.
type directServiceIdentity struct {
	ClusterID types.String `tfsdk:"cluster_id"`
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// identify sets the resource identity.
func (m *directServiceModel) identify(ctx context.Context, identity *tfsdk.ResourceIdentity) diag.Diagnostics {
	if identity == nil || m.ClusterID.ValueString() == "" {
		return nil
	}
	return identity.Set(ctx, directServiceIdentity{m.ClusterID, m.Namespace, m.Name})
}

func (m *directServiceModel) life() life {
	return life{leaves: []types.String{m.Cluster}, ownerID: m.OwnerID, timeouts: m.Timeouts}
}

func (m *directServiceModel) validate(context.Context) diag.Diagnostics { return nil }

// find fails if the Service does not request direct connections. From then on, the annotation belongs to the resource,
// whoever has set it.
func (r *directServiceResource) find(
	ctx context.Context, req resource.ImportStateRequest,
) (imported, diag.Diagnostics) {
	centre, identity, diags := r.leaves.importedService(ctx, req)
	if diags.HasError() {
		return imported{}, diags
	}
	identity.ClusterID = types.StringValue(string(centre.ID))
	service := direct.New(centre, identity.Namespace.ValueString(), identity.Name.ValueString(), r.leaves.byID)
	own := ownership{Claims: true}.named()
	return imported{identity, map[string]any{
		"cluster": centre.Name, "namespace": service.Namespace, "name": service.Name, "cluster_id": string(centre.ID),
		"cluster_uid": string(centre.UID), "owner_id": own.Token,
	}, own}, importable(ctx, service)
}

// importable returns an error unless the Service requests direct connections.
func importable(ctx context.Context, service *direct.Service) diag.Diagnostics {
	var diags diag.Diagnostics
	observed, err := service.Observe(ctx)
	switch {
	case err != nil:
		diags.Append(failureOf("leaf-unreadable", "The Service can't be read", err).asError())
	case !observed.Exists:
		diags.Append(invalid(service.String()+" does not exist",
			fmt.Sprintf("There is no such Service in cluster %q.",
				service.Centre.Name)).asError())
	case !observed.Set:
		diags.Append(report("service-not-imported", service.String()+" does not request direct connections",
			"There is nothing to import. Without an import, the next apply creates the request.").asError())
	}
	return diags
}

// readDirectServiceID splits an import ID, `cluster/namespace/name`. The name of a cluster may contain slashes, as the
// AWS CLI's context names do. If there is no cluster with this name, it is a cluster ID. An ID with fewer parts has
// neither.
func (l *leaves) readDirectServiceID(id string) (cluster string, identity directServiceIdentity) {
	parts := strings.Split(id, "/")
	if len(parts) < 3 {
		return "", identity
	}
	last := len(parts) - 1
	first := strings.Join(parts[:last-1], "/")
	identity = directServiceIdentity{
		Namespace: types.StringValue(parts[last-1]), Name: types.StringValue(parts[last]),
	}
	if names, _ := l.registry.Names(); slices.Contains(names, first) {
		return first, identity
	}
	identity.ClusterID = types.StringValue(first)
	return "", identity
}

const directServiceIDForm = "`cluster/namespace/name`: the name of the central cluster or its cluster ID, and the " +
	"Service"

// importedService returns the central cluster and the Service of an import.
func (l *leaves) importedService(
	ctx context.Context, req resource.ImportStateRequest,
) (centre *cluster.Leaf, identity directServiceIdentity, diags diag.Diagnostics) {
	var name string
	if req.ID != "" {
		name, identity = l.readDirectServiceID(req.ID)
	} else if diags = req.Identity.Get(ctx, &identity); diags.HasError() {
		return nil, identity, diags
	}
	var err error
	switch clusterID := identity.ClusterID.ValueString(); {
	case name != "":
		centre, err = l.registry.Leaf(ctx, name)
	case clusterID != "":
		centre, err = l.registry.LeafByID(ctx, clusterID)
	default:
		return nil, identity, diag.Diagnostics{invalidImportID(directServiceIDForm, req.ID)}
	}
	return centre, identity, l.notImported(failedEnd{"cluster", err}, directServiceIDForm)
}
