package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// ownerKey is the key of the [ownership] in the private state of a resource.
const ownerKey = "owner"

// ownership identifies a resource instance. Terraform passes it from one operation on the instance to the next, even if
// the instance is renamed, and to no other instance. There is one exception: see [ownershipOf].
type ownership struct {
	// Token marks the instance's objects on the leaves. It is empty before the first apply.
	Token string `json:"token"`
	// Claims means that the network was imported and is not marked with the token yet. By an import, the user declares
	// that Terraform owns the network from now on.
	Claims bool `json:"claims,omitempty"`
	// Imported means that the leaves were not read since the import.
	Imported bool `json:"imported,omitempty"`

	isNew bool // the instance is about to be created, and no state has the token yet
}

// privateState is the part of the framework's private state that this package needs.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// savedOwnership reads what an operation has stored for later ones. It is empty for a new instance.
func savedOwnership(ctx context.Context, private privateState) (own ownership, diags diag.Diagnostics) {
	text, diags := private.GetKey(ctx, ownerKey)
	if len(text) == 0 {
		return own, diags
	}
	if err := json.Unmarshal(text, &own); err != nil {
		diags.Append(report("state-unreadable", "The private state can't be read",
			"It does not have the format of this provider: "+err.Error()+".").asError())
	}
	return own, diags
}

// ownershipOf returns the ownership of an existing instance. id is the token in the state, or null until what an import
// has found is marked. The state decides: if the provider is killed during an update, Terraform drops the private
// state, and to destroy a tainted instance, it passes the private state that was planned for the replacement.
func ownershipOf(ctx context.Context, private privateState, id types.String) (ownership, diag.Diagnostics) {
	own, diags := savedOwnership(ctx, private)
	if !id.IsNull() {
		own.Token = id.ValueString()
		return own, diags
	}
	own.Claims, own.Imported = true, own.Imported || own.Token == ""
	return own, diags
}

// save stores the ownership for later operations on the instance.
func (o ownership) save(ctx context.Context, private privateState) diag.Diagnostics {
	text, err := json.Marshal(o)
	if err != nil {
		return diag.Diagnostics{report("state-unreadable", "The private state can't be written", err.Error()+".").asError()}
	}
	return private.SetKey(ctx, ownerKey, text)
}

// maker returns the token of the shortcut that has made the network of the pair.
func (p pair) maker(ctx context.Context) (string, error) {
	token, _, err := shortcut.New(p.client, p.server).ImportedFrom(ctx)
	return token, err
}

// named returns the ownership with a token; it creates one if there is none.
func (o ownership) named() ownership {
	if o.Token == "" {
		o.Token = owner.NewToken()
	}
	return o
}

// id returns the token for the state. It is null as long as the instance only claims what an import has found.
func (o ownership) id() types.String {
	if o.Claims {
		return types.StringNull()
	}
	return types.StringValue(o.Token)
}

// owner returns the instance in the form that package shortcut needs.
func (o ownership) owner(origin owner.Origin) owner.Owner {
	return owner.Owner{Token: o.Token, Origin: origin, Claims: o.Claims}
}

// origin returns what the leaves learn of where this process runs.
func (l *leaves) origin() owner.Origin {
	if l.hideAuthor {
		return withoutNames(here())
	}
	return here()
}

// withoutNames returns an origin without names. A digest still tells two directories apart.
func withoutNames(origin owner.Origin) owner.Origin {
	digest := sha256.Sum256([]byte(strings.Join([]string{origin.CreatedBy, origin.Directory, origin.Workspace}, "\n")))
	return owner.Origin{Directory: "#" + hex.EncodeToString(digest[:4]), CreatedAt: origin.CreatedAt}
}

// here returns where this process runs. Terraform starts the provider in its own directory and with its own
// environment.
func here() owner.Origin {
	made := owner.Origin{CreatedAt: time.Now().UTC().Truncate(time.Second), Workspace: workspace()}
	if directory, err := os.Getwd(); err == nil {
		made.Directory = filepath.Base(directory)
	}
	if account, err := user.Current(); err == nil {
		made.CreatedBy = account.Username
	}
	if host, err := os.Hostname(); err == nil {
		made.CreatedBy += "@" + host
	}
	return made
}

// workspace returns the current Terraform workspace. Terraform stores the choice of `terraform workspace select` in a
// file.
func workspace() string {
	if name := os.Getenv("TF_WORKSPACE"); name != "" {
		return name
	}
	data := os.Getenv("TF_DATA_DIR")
	if data == "" {
		data = ".terraform"
	}
	if name, err := os.ReadFile(filepath.Join(data, "environment")); err == nil { //nolint:gosec // Terraform's own file
		return strings.TrimSpace(string(name))
	}
	return "default"
}
