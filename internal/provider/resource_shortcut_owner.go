package provider

import (
	"context"
	"encoding/json"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// ownerKey is where a resource's private state has its [ownership].
const ownerKey = "owner"

// ownership is what a resource instance knows of itself. Terraform hands it from one operation on the instance to the next, whatever the instance is called, and to no
// other instance, with one exception: see [ownership.as].
type ownership struct {
	// Token marks what the instance owns on the leaves; empty before its first apply.
	Token string `json:"token"`
	// Unadopted means that the network was imported and is not marked with the token yet. An import is the user's word that it is Terraform's from now on.
	Unadopted bool `json:"unadopted,omitempty"`
	// Imported means that nobody has looked at the leaves since the import.
	Imported bool `json:"imported,omitempty"`
}

// privateState is the part of the framework's that is needed here.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// ownershipOf reads what is known of an instance. An instance that an early version of the provider has made knows nothing of itself: what there is of it carries no
// token either, and is as good as imported.
func ownershipOf(ctx context.Context, private privateState) (ownership, diag.Diagnostics) {
	text, diags := private.GetKey(ctx, ownerKey)
	if len(text) == 0 {
		return ownership{Unadopted: true}, diags
	}
	var own ownership
	if err := json.Unmarshal(text, &own); err != nil {
		diags.AddError("The private state can't be read", "It is not as this provider writes it: "+err.Error()+".")
	}
	return own, diags
}

// save keeps it for later operations on the instance.
func (o ownership) save(ctx context.Context, private privateState) diag.Diagnostics {
	text, err := json.Marshal(o)
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("The private state can't be written", err.Error())}
	}
	return private.SetKey(ctx, ownerKey, text)
}

// recognise reads what is known of an instance. One that was just imported goes on as the resource that has made the network, if there is one: then what that has
// made needs no adoption.
func (r *shortcutResource) recognise(ctx context.Context, pair pair, before, after privateState) (ownership, diag.Diagnostics) {
	own, diags := ownershipOf(ctx, before)
	if diags.HasError() || !own.Imported {
		return own, diags
	}
	token, err := shortcut.New(pair.client, pair.server).SoleOwner(ctx)
	if err != nil {
		diags.AddError(summary("The owner of the shortcut can't be read", err), detail(err))
		return own, diags
	}
	own = ownership{Token: token, Unadopted: true}.named()
	diags.Append(own.save(ctx, after)...)
	return own, diags
}

// named gives the instance a token if it has none.
func (o ownership) named() ownership {
	if o.Token == "" {
		o.Token = end.NewToken()
	}
	return o
}

// id is the attribute that repeats the token in the state, where it is known.
func (o ownership) id(before types.String) types.String {
	if o.Token == "" {
		return before
	}
	return types.StringValue(o.Token)
}

// as makes it the instance that the state speaks of. To destroy a tainted instance, Terraform hands over what was planned for the new one in its place, and not the
// private state: so the token is in the state, too.
func (o ownership) as(id types.String) ownership {
	if token := id.ValueString(); token != "" {
		o.Token = token
	}
	return o
}

// owner is the instance as package shortcut knows it.
func (o ownership) owner() end.Owner {
	return end.Owner{Token: o.Token, Origin: origin(), Claims: o.Unadopted}
}

// origin is where this process runs: Terraform starts the provider in the folder and with the environment of its own.
func origin() end.Origin {
	made := end.Origin{At: time.Now().UTC().Truncate(time.Second), Workspace: workspace()}
	if folder, err := os.Getwd(); err == nil {
		made.Folder = filepath.Base(folder)
	}
	if account, err := user.Current(); err == nil {
		made.Who = account.Username
	}
	if host, err := os.Hostname(); err == nil {
		made.Who += "@" + host
	}
	return made
}

// workspace is the one that Terraform works in: it keeps the choice of `terraform workspace select` in a file.
func workspace() string {
	if name := os.Getenv("TF_WORKSPACE"); name != "" {
		return name
	}
	data := os.Getenv("TF_DATA_DIR")
	if data == "" {
		data = ".terraform"
	}
	if name, err := os.ReadFile(filepath.Join(data, "environment")); err == nil { //nolint:gosec // a file of Terraform's
		return strings.TrimSpace(string(name))
	}
	return "default"
}
