package provider

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/netip"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"golang.org/x/net/http/httpguts"
	"k8s.io/apimachinery/pkg/util/validation"
)

var (
	_ validator.String = textValidator{}
	_ validator.String = notEmpty{}
)

// textValidator accepts strings for which valid returns true.
type textValidator struct {
	headline string // of the error about a value that is not valid
	must     string // completes "the value …"
	valid    func(string) bool
}

// hostAddress accepts an address that a gateway can dial: an IP address or a DNS name, without a port.
func hostAddress() validator.String {
	return textValidator{
		headline: "Not an address",
		must:     "must be an IP address or a DNS name, without a port",
		valid: func(text string) bool {
			_, err := netip.ParseAddr(text)
			return err == nil || len(validation.IsDNS1123Subdomain(text)) == 0
		},
	}
}

// clusterID accepts Liqo's ID of a cluster.
func clusterID() validator.String {
	return textValidator{
		headline: "Not a cluster ID",
		must:     "must be Liqo's ID of a cluster: lower-case letters, digits and dashes, at most 63 characters",
		valid:    func(text string) bool { return len(validation.IsDNS1123Label(text)) == 0 },
	}
}

// ipv4 accepts ranges of IPv4 addresses. To find a free range, the IPAM of Liqo (1.2.0, pkg/ipam/core) divides IPv4
// ranges down to the requested prefix length. It crashes for the length of an IPv6 range, again after each restart.
// Other validators reject a string that is not a CIDR.
func ipv4() validator.String {
	return textValidator{
		headline: "Not an IPv4 range",
		must:     "must be an IPv4 range: Liqo can't join IPv6 ranges",
		valid: func(text string) bool {
			prefix, err := netip.ParsePrefix(text)
			return err != nil || prefix.Addr().Is4()
		},
	}
}

// publicKey accepts a WireGuard key as `wg pubkey` writes it.
func publicKey() validator.String {
	return textValidator{
		headline: "Not a public key",
		must:     "must be a public key of WireGuard: 32 bytes in base64",
		valid: func(text string) bool {
			key, err := base64.StdEncoding.Strict().DecodeString(text)
			return err == nil && len(key) == 32
		},
	}
}

// cidr accepts an IP prefix. It is for the elements of a list, because the framework does not validate them by their
// type.
func cidr() validator.String {
	return textValidator{
		headline: "Not a CIDR",
		must:     "must be an address range in CIDR notation, such as 10.1.0.0/16",
		valid: func(text string) bool {
			_, err := netip.ParsePrefix(text)
			return err == nil
		},
	}
}

// wholeRange accepts a CIDR without host bits. Liqo never finds 10.1.0.5/16 free, and remaps it. Other validators
// reject a string that is not a CIDR.
func wholeRange() validator.String {
	return textValidator{
		headline: "Host bits in a CIDR",
		must:     "must not have host bits: 10.1.0.0/16 is valid, 10.1.0.5/16 is not",
		valid: func(text string) bool {
			prefix, err := netip.ParsePrefix(text)
			return err != nil || prefix == prefix.Masked()
		},
	}
}

// metadataKey accepts the key of a label or an annotation.
func metadataKey() validator.String {
	return textValidator{
		headline: "Not a key of a label or an annotation",
		must:     "must be a name such as app.kubernetes.io/name; the prefix and the slash are optional",
		valid:    func(text string) bool { return len(validation.IsQualifiedName(text)) == 0 },
	}
}

// labelValue accepts the value of a label, which may be empty.
func labelValue() validator.String {
	return textValidator{
		headline: "Not the value of a label",
		must: "must have at most 63 letters, digits, dashes, underscores and dots, and must start and end with a letter or " +
			"digit",
		valid: func(text string) bool { return len(validation.IsValidLabelValue(text)) == 0 },
	}
}

// namedKey accepts the key of a map if it has a visible character. The key is the name of what.
func namedKey(what string) validator.String {
	return textValidator{
		headline: "Empty name",
		must:     "is the name of a " + what + ", and must not be empty",
		valid:    func(text string) bool { return strings.TrimSpace(text) != "" },
	}
}

// Description implements [validator.String].
func (v textValidator) Description(context.Context) string { return "value " + v.must }

// MarkdownDescription implements [validator.String].
func (v textValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements [validator.String].
func (v textValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if text := req.ConfigValue.ValueString(); !v.valid(text) {
		resp.Diagnostics.Append(invalid(v.headline,
			fmt.Sprintf("The value %q %s.", text, v.must)).errorAt(req.Path))
	}
}

// notEmpty rejects a string without a visible character. An empty credential, such as an unset secret of a CI system,
// must not count as missing: the leaf could be another cluster then.
type notEmpty struct{}

// Description implements [validator.String].
func (notEmpty) Description(context.Context) string { return "value must not be empty" }

// MarkdownDescription implements [validator.String].
func (v notEmpty) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements [validator.String]. The error does not repeat the value, which may be secret.
func (notEmpty) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || strings.TrimSpace(req.ConfigValue.ValueString()) != "" {
		return
	}
	resp.Diagnostics.Append(invalid("Empty value",
		req.Path.String()+" is empty. Set a value, or remove the attribute.").errorAt(req.Path))
}

var _ validator.String = credentialValidator{}

// credentialValidator rejects a credential that no API server can accept. Otherwise its requests would never be sent,
// and the leaf would seem to be lost. Its errors do not repeat the value.
type credentialValidator struct {
	must string
	flaw func(text string) string // completes "the value …"; empty for a valid one
}

// certificate accepts certificates in PEM.
func certificate() validator.String {
	return inPEM("a certificate", "CERTIFICATE")
}

// privateKey accepts a private key in PEM, of any kind.
func privateKey() validator.String {
	return inPEM("a private key", "PRIVATE KEY")
}

// inPEM accepts texts with a block of PEM whose type ends with this one.
func inPEM(what, kind string) validator.String {
	return credentialValidator{must: "must be " + what + " in PEM", flaw: func(text string) string {
		inside, kinds := decoded(text), blocks(text)
		switch {
		case strings.Contains(kinds, kind):
			return ""
		case strings.Contains(blocks(inside), kind):
			return "is base64. Decode it: `base64decode(…)`"
		case kinds != "":
			return "has PEM of the type " + kinds + ", and must be " + what + ". Are two attributes swapped?"
		default:
			return "is not " + what + " in PEM. For a file, write `file(\"…\")`"
		}
	}}
}

// blocks returns the types of the blocks of PEM in a text.
func blocks(text string) string {
	var kinds []string
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		kinds = append(kinds, block.Type)
	}
	return strings.Join(kinds, ", ")
}

// decoded returns what a text in base64 stands for, or nothing for another text.
func decoded(text string) string {
	inside, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return ""
	}
	return string(inside)
}

// kubeconfigText accepts everything but a kubeconfig in base64. What else is wrong with one is said when it is read.
func kubeconfigText() validator.String {
	return credentialValidator{must: "must be a kubeconfig, not in base64", flaw: func(text string) string {
		if decoded(text) == "" {
			return ""
		}
		return "is base64. Decode it: `base64decode(…)`"
	}}
}

// bearerToken accepts what can be sent as a token. Space around it is ignored, as by kubectl for a token in a file.
func bearerToken() validator.String {
	return credentialValidator{must: "must be one line of text", flaw: func(text string) string {
		if httpguts.ValidHeaderFieldValue(strings.TrimSpace(text)) {
			return ""
		}
		return "has a line break or another control character inside, which no request can carry"
	}}
}

// Description implements [validator.String].
func (v credentialValidator) Description(context.Context) string { return "value " + v.must }

// MarkdownDescription implements [validator.String].
func (v credentialValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

// ValidateString implements [validator.String].
func (v credentialValidator) ValidateString(
	_ context.Context, req validator.StringRequest, resp *validator.StringResponse,
) {
	text := req.ConfigValue.ValueString()
	if strings.TrimSpace(text) == "" { // null, unknown, or a matter of notEmpty
		return
	}
	if flaw := v.flaw(text); flaw != "" {
		resp.Diagnostics.Append(invalid("Malformed credential",
			"The value of "+req.Path.String()+" "+flaw+".").errorAt(req.Path))
	}
}
