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
// the instance is renamed, and to no other instance. There is one exception: see [ownership.as].
type ownership struct {
	// Token marks the instance's objects on the leaves. It is empty before the first apply.
	Token string `json:"token"`
	// Unadopted means that the network was imported and is not marked with the token yet. By an import, the user declares
	// that Terraform owns the network from now on.
	Unadopted bool `json:"unadopted,omitempty"`
	// Imported means that the leaves were not read since the import.
	Imported bool `json:"imported,omitempty"`

	isNew bool // the instance is about to be created, and no state has the token yet
}

// privateState is the part of the framework's private state that this package needs.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// ownershipOf reads the ownership of an instance. id is the token in the state. If the provider is killed during an
// update, Terraform keeps the state and drops the private state, so only id is left.
func ownershipOf(ctx context.Context, private privateState, id types.String) (ownership, diag.Diagnostics) {
	text, diags := private.GetKey(ctx, ownerKey)
	if len(text) == 0 {
		return ownership{Token: id.ValueString()}, diags
	}
	var own ownership
	if err := json.Unmarshal(text, &own); err != nil {
		diags.Append(report("state-unreadable", "The private state can't be read",
			"It does not have the format of this provider: "+err.Error()+".").asError())
	}
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
	token, _, err := shortcut.New(p.client, p.server).SoleOwner(ctx)
	return token, err
}

// named returns the ownership with a token; it creates one if there is none.
func (o ownership) named() ownership {
	if o.Token == "" {
		o.Token = owner.NewToken()
	}
	return o
}

// id returns the token for the attribute in the state, or the value before if there is no token.
func (o ownership) id(before types.String) types.String {
	if o.Token == "" {
		return before
	}
	return types.StringValue(o.Token)
}

// as returns the ownership with the token in the state, if there is one. To destroy a tainted instance, Terraform
// passes the private state that was planned for its replacement. So the state has the token, too.
func (o ownership) as(id types.String) ownership {
	if token := id.ValueString(); token != "" {
		o.Token = token
	}
	return o
}

// owner returns the instance in the form that package shortcut needs.
func (o ownership) owner(origin owner.Origin) owner.Owner {
	return owner.Owner{Token: o.Token, Origin: origin, Claims: o.Unadopted}
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

// here returns where this process runs. Terraform starts the provider in its own directory and with its own environment.
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
