package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The life of every resource is here: it is imported or created, read, updated and deleted. A resource only says what
// it does on the leaves.

// managed is a resource with such a life. M is its model.
type managed[M any, P lifeModel[M]] struct {
	lifecycle[P]

	name     string // without the provider's
	schema   func(context.Context) schema.Schema
	identity map[string]string // the descriptions of the attributes of its identity, by their names
}

var (
	_ resource.ResourceWithConfigure      = (*managed[shortcutModel, *shortcutModel])(nil)
	_ resource.ResourceWithIdentity       = (*managed[shortcutModel, *shortcutModel])(nil)
	_ resource.ResourceWithImportState    = (*managed[shortcutModel, *shortcutModel])(nil)
	_ resource.ResourceWithModifyPlan     = (*managed[shortcutModel, *shortcutModel])(nil)
	_ resource.ResourceWithValidateConfig = (*managed[shortcutModel, *shortcutModel])(nil)
)

// lifecycle is what a resource does on the leaves. P is a pointer to its model. The context of each call has the
// timeout that the user has set.
type lifecycle[P any] interface {
	// find connects to the leaves of an import, and returns what is there.
	find(ctx context.Context, req resource.ImportStateRequest) (imported, diag.Diagnostics)
	// begin returns the planner of one instance.
	begin(p *proposal[P]) planner
	// apply creates or changes what the plan says. It records the result in the state, also after a failure.
	apply(ctx context.Context, a *application[P]) diag.Diagnostics
	// refresh copies what the leaves have into the model.
	refresh(ctx context.Context, model P, private privateStates) (refreshed, diag.Diagnostics)
	// remove returns when nothing of it is left.
	remove(ctx context.Context, model P, own ownership) diag.Diagnostics

	// Configure and known are those of [configured].
	Configure(ctx context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse)
	known() *leaves
}

// lifeModel is the model of a resource. Its methods are what a lifecycle needs of it.
type lifeModel[M any] interface {
	*M
	life() life
	// validate finds settings that do not go together. It accepts unknown values.
	validate(ctx context.Context) diag.Diagnostics
	// identify sets the resource identity, if it is known. Older versions of Terraform have none.
	identify(ctx context.Context, identity *tfsdk.ResourceIdentity) diag.Diagnostics
}

// life has the attributes of a model that a lifecycle needs.
type life struct {
	leaves   []types.String // names
	ownerID  types.String
	timeouts timeouts.Value
}

// application is what an apply works with.
type application[P any] struct {
	plan, config P
	prior        P // the state before; nil for a create
	own          ownership
	state        *tfsdk.State
}

// refreshed is what a refresh has found.
type refreshed int

const (
	unchanged refreshed = iota // or nobody knows, because the leaves can't be read
	changed
	gone // for certain
)

// privateStates are the private state before and after a refresh.
type privateStates struct{ before, after privateState }

// Metadata implements [resource.Resource].
func (r *managed[M, P]) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = TypeName + "_" + r.name
}

// Schema implements [resource.Resource].
func (r *managed[M, P]) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.schema(ctx)
}

// IdentitySchema implements [resource.ResourceWithIdentity].
func (r *managed[M, P]) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	attributes := map[string]identityschema.Attribute{}
	for name, description := range r.identity {
		attributes[name] = identityschema.StringAttribute{RequiredForImport: true, Description: description}
	}
	resp.IdentitySchema = identityschema.Schema{Attributes: attributes}
}

// ValidateConfig implements [resource.ResourceWithValidateConfig].
func (r *managed[M, P]) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	model := P(new(M))
	if resp.Diagnostics.Append(req.Config.Get(ctx, model)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(validateTimeouts(model.life().timeouts.Attributes())...)
	resp.Diagnostics.Append(model.validate(ctx)...)
}

// Create implements [resource.Resource].
func (r *managed[M, P]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	a := &application[P]{plan: new(M), config: new(M), state: &resp.State, own: ownership{isNew: true}.named()}
	resp.Diagnostics.Append(req.Plan.Get(ctx, a.plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, a.config)...)
	timeout, diags := a.plan.life().timeouts.Create(ctx, defaultCreateTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(a.own.save(ctx, resp.Private)...)
	limited, cancel := context.WithTimeout(withLogging(ctx), timeout)
	defer cancel()
	resp.Diagnostics.Append(r.apply(limited, a)...)
	if resp.Diagnostics.HasError() && !resp.State.Raw.IsNull() {
		resp.Diagnostics.Append(tainted())
	}
	resp.Diagnostics.Append(a.plan.identify(ctx, resp.Identity)...)
}

// tainted returns the warning after a failed create that has left something on the leaves.
func tainted() diag.Diagnostic {
	return report("resource-tainted", "The resource is tainted",
		"Only a part of it was created, and the state records this part. Terraform has marked the resource as tainted: the "+
			"next apply removes the part and creates the resource again. A gateway then perhaps gets another address. To "+
			"continue from what exists instead, run `terraform untaint` with the address of the resource, then apply.").
		asWarning()
}

// Update implements [resource.Resource].
func (r *managed[M, P]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	a := &application[P]{plan: new(M), config: new(M), prior: new(M), state: &resp.State}
	resp.Diagnostics.Append(req.Plan.Get(ctx, a.plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, a.config)...)
	resp.Diagnostics.Append(req.State.Get(ctx, a.prior)...)
	timeout, diags := a.plan.life().timeouts.Update(ctx, defaultUpdateTimeout)
	resp.Diagnostics.Append(diags...)
	own, diags := ownershipOf(ctx, req.Private, a.prior.life().ownerID)
	resp.Diagnostics.Append(diags...)
	change, diags := plannedChangeOf(ctx, req.Private)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if change.KeepsLeaves {
		resp.Diagnostics.Append(resp.State.Set(ctx, a.plan)...)
	} else {
		a.own = own.named()
		limited, cancel := context.WithTimeout(withLogging(ctx), timeout)
		defer cancel()
		resp.Diagnostics.Append(r.apply(limited, a)...)
		resp.Diagnostics.Append(a.own.save(ctx, resp.Private)...)
	}
	resp.Diagnostics.Append(a.plan.identify(ctx, resp.Identity)...)
}

// Read implements [resource.Resource]. It removes the resource from the state only if it is certain that it is gone.
func (r *managed[M, P]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	model := P(new(M))
	resp.Diagnostics.Append(req.State.Get(ctx, model)...)
	timeout, diags := model.life().timeouts.Read(ctx, defaultReadTimeout)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(model.identify(ctx, resp.Identity)...)
	if resp.Diagnostics.HasError() || r.known().unknownAny(model.life().leaves...) {
		return
	}
	limited, cancel := context.WithTimeout(withLogging(ctx), timeout)
	defer cancel()
	result, diags := r.refresh(limited, model, privateStates{req.Private, resp.Private})
	resp.Diagnostics.Append(diags...)
	switch result {
	case unchanged: // the response is complete already
	case changed:
		resp.Diagnostics.Append(model.identify(ctx, resp.Identity)...)
		resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
	case gone:
		resp.State.RemoveResource(ctx)
	}
}

// Delete implements [resource.Resource].
func (r *managed[M, P]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	model := P(new(M))
	resp.Diagnostics.Append(req.State.Get(ctx, model)...)
	timeout, diags := model.life().timeouts.Delete(ctx, defaultDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	own, diags := ownershipOf(ctx, req.Private, model.life().ownerID)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	limited, cancel := context.WithTimeout(withLogging(ctx), timeout)
	defer cancel()
	resp.Diagnostics.Append(r.remove(limited, model, own)...)
}

// imported is a resource that was found on the leaves. A refresh adds what they show.
type imported struct {
	identity   any
	attributes map[string]any
	own        ownership
}

// ImportState implements [resource.ResourceWithImportState].
func (r *managed[M, P]) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	limited, cancel := context.WithTimeout(withLogging(ctx), defaultReadTimeout)
	defer cancel()
	found, diags := r.find(limited, req)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, found.identity)...)
	resp.Diagnostics.Append(setAttributes(ctx, &resp.State, found.attributes)...)
	resp.Diagnostics.Append(found.own.save(ctx, resp.Private)...)
}

// settable is a state, or a resource in a list.
type settable interface {
	SetAttribute(ctx context.Context, path path.Path, value any) diag.Diagnostics
}

// setAttributes sets attributes by their names.
func setAttributes(ctx context.Context, state settable, attributes map[string]any) diag.Diagnostics {
	var diags diag.Diagnostics
	for name, value := range attributes {
		diags.Append(state.SetAttribute(ctx, path.Root(name), value)...)
	}
	return diags
}

// recognise reads the ownership of an instance. A newly imported instance gets the token of the resource that has made
// what it manages, which the function maker reads, if there is one. Then the objects need no other marks.
func (p privateStates) recognise(
	ctx context.Context, id types.String, maker func(context.Context) (token string, err error),
) (ownership, diag.Diagnostics) {
	own, diags := ownershipOf(ctx, p.before, id)
	if diags.HasError() || !own.Imported {
		return own, diags
	}
	token, err := maker(ctx)
	if err != nil {
		diags.Append(failureOf("leaf-unreadable", "The owner can't be read", err).asError())
		return own, diags
	}
	own = ownership{Token: token, Claims: true}.named()
	diags.Append(own.save(ctx, p.after)...)
	return own, diags
}

// settle ends the claims of an imported instance once the leaves show that everything is marked.
func (p privateStates) settle(ctx context.Context, own ownership, unmarked bool) (ownership, diag.Diagnostics) {
	if !own.Claims || unmarked {
		return own, nil
	}
	own.Claims = false
	return own, own.save(ctx, p.after)
}
