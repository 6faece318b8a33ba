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

var _ validator.String = textValidator{}

// textValidator rejects texts in which the function flaw finds one. It does not look at what is null or unknown.
type textValidator struct {
	headline string // of the error
	must     string // completes "the value …"
	// flaw returns a sentence about a text, or an empty one for a valid text. The attribute is the path of its value.
	flaw func(attribute, text string) string
}

// accepting accepts texts for which valid returns true.
func accepting(headline, must string, valid func(string) bool) validator.String {
	return textValidator{headline, must, func(_, text string) string {
		if valid(text) {
			return ""
		}
		return fmt.Sprintf("The value %q %s.", text, must)
	}}
}

// credential rejects a credential that no API server can accept. Otherwise its requests would never be sent, and the
// leaf would seem to be lost. The flaw completes "the value …"; it is empty for a valid one. The error does not
// repeat the value, which may be secret.
func credential(must string, flaw func(text string) string) validator.String {
	return textValidator{"Malformed credential", must, func(attribute, text string) string {
		if strings.TrimSpace(text) == "" { // a matter of notEmpty
			return ""
		}
		if found := flaw(text); found != "" {
			return "The value of " + attribute + " " + found + "."
		}
		return ""
	}}
}

// notEmpty rejects a text without a visible character. An empty credential, such as an unset secret of a CI system,
// must not count as missing: the leaf could be another cluster then. The error does not repeat the value, which may be
// secret.
func notEmpty() validator.String {
	return textValidator{"Empty value", "must not be empty", func(attribute, text string) string {
		if strings.TrimSpace(text) != "" {
			return ""
		}
		return attribute + " is empty. Set a value, or remove the attribute."
	}}
}

// Description implements [validator.String].
func (v textValidator) Description(context.Context) string { return "value " + v.must }

// MarkdownDescription implements [validator.String].
func (v textValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements [validator.String].
func (v textValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !given(req.ConfigValue) {
		return
	}
	if found := v.flaw(req.Path.String(), req.ConfigValue.ValueString()); found != "" {
		resp.Diagnostics.Append(invalid(v.headline, found).errorAt(req.Path))
	}
}

// hostAddress accepts an address that a gateway can dial: an IP address or a DNS name, without a port.
func hostAddress() validator.String {
	return accepting("Not an address", "must be an IP address or a DNS name, without a port", func(text string) bool {
		_, err := netip.ParseAddr(text)
		return err == nil || len(validation.IsDNS1123Subdomain(text)) == 0
	})
}

// clusterID accepts Liqo's ID of a cluster.
func clusterID() validator.String {
	return accepting("Not a cluster ID",
		"must be Liqo's ID of a cluster: lower-case letters, digits and dashes, at most 63 characters",
		func(text string) bool { return len(validation.IsDNS1123Label(text)) == 0 })
}

// ipv4 accepts ranges of IPv4 addresses. To find a free range, the IPAM of Liqo (1.2.0, pkg/ipam/core) divides IPv4
// ranges down to the requested prefix length. It crashes for the length of an IPv6 range, again after each restart.
// Other validators reject a string that is not a CIDR.
func ipv4() validator.String {
	return accepting("Not an IPv4 range", "must be an IPv4 range: Liqo can't join IPv6 ranges", func(text string) bool {
		prefix, err := netip.ParsePrefix(text)
		return err != nil || prefix.Addr().Is4()
	})
}

// publicKey accepts a WireGuard key as `wg pubkey` writes it.
func publicKey() validator.String {
	return accepting("Not a public key",
		"must be a public key of WireGuard: 32 bytes in base64", func(text string) bool {
			key, err := base64.StdEncoding.Strict().DecodeString(text)
			return err == nil && len(key) == 32
		})
}

// cidr accepts an IP prefix. It is for the elements of a list, because the framework does not validate them by their
// type.
func cidr() validator.String {
	return accepting("Not a CIDR",
		"must be an address range in CIDR notation, such as 10.1.0.0/16", func(text string) bool {
			_, err := netip.ParsePrefix(text)
			return err == nil
		})
}

// wholeRange accepts a CIDR without host bits. Liqo never finds 10.1.0.5/16 free, and remaps it. Other validators
// reject a string that is not a CIDR.
func wholeRange() validator.String {
	return accepting("Host bits in a CIDR",
		"must not have host bits: 10.1.0.0/16 is valid, 10.1.0.5/16 is not", func(text string) bool {
			prefix, err := netip.ParsePrefix(text)
			return err != nil || prefix == prefix.Masked()
		})
}

// metadataKey accepts the key of a label or an annotation.
func metadataKey() validator.String {
	return accepting("Not a key of a label or an annotation",
		"must be a name such as app.kubernetes.io/name; the prefix and the slash are optional",
		func(text string) bool { return len(validation.IsQualifiedName(text)) == 0 })
}

// labelValue accepts the value of a label, which may be empty.
func labelValue() validator.String {
	return accepting("Not the value of a label",
		"must have at most 63 letters, digits, dashes, underscores and dots, and must start and end with a letter or digit",
		func(text string) bool { return len(validation.IsValidLabelValue(text)) == 0 })
}

// namedKey accepts the key of a map if it has a visible character. The key is the name of what.
func namedKey(what string) validator.String {
	return accepting("Empty name",
		"is the name of a "+what+", and must not be empty",
		func(text string) bool { return strings.TrimSpace(text) != "" })
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
	return credential("must be "+what+" in PEM", func(text string) string {
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
	})
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
	return credential("must be a kubeconfig, not in base64", func(text string) string {
		if decoded(text) == "" {
			return ""
		}
		return "is base64. Decode it: `base64decode(…)`"
	})
}

// bearerToken accepts what can be sent as a token. Space around it is ignored, as by kubectl for a token in a file.
func bearerToken() validator.String {
	return credential("must be one line of text", func(text string) string {
		if httpguts.ValidHeaderFieldValue(strings.TrimSpace(text)) {
			return ""
		}
		return "has a line break or another control character inside, which no request can carry"
	})
}
