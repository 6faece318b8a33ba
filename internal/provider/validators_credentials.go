package provider

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"golang.org/x/net/http/httpguts"
)

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
