package cluster

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Error says what is wrong with one leaf and what to do about it.
type Error struct {
	Leaf    string // the user's name for it
	Summary string // what is wrong, a few words
	Hint    string // what to do, a sentence or more; may be empty
	Err     error  // what the API server or client-go said

	unreachable bool
	unanswered  bool // the API server was not even asked, or did not answer
	noLiqo      bool
}

// Error is the whole text: leaf, problem, cause, and what to do.
func (e *Error) Error() string {
	text := fmt.Sprintf("leaf %q: %s: %v", e.Leaf, e.Summary, e.Err)
	if e.Hint != "" {
		text += ". " + e.Hint
	}
	return text
}

// Detail is what belongs below a headline that has the summary and the leaf: the cause, and what to do.
func (e *Error) Detail() string {
	text := fmt.Sprintf("The answer was: %v", e.Err)
	if e.unanswered {
		text = fmt.Sprintf("The connection failed: %v", e.Err)
	}
	if e.Hint != "" {
		text += "\n\n" + e.Hint
	}
	return text
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Unreachable reports whether an error means that a leaf's API server did not answer, so that nothing is known of what it holds.
func Unreachable(err error) bool {
	var explained *Error
	return errors.As(err, &explained) && explained.unreachable
}

// NoLiqo reports whether an error means that a cluster answers and that Liqo is not installed on it, at least not where it was looked for.
func NoLiqo(err error) bool {
	var explained *Error
	return errors.As(err, &explained) && explained.noLiqo
}

// Explain turns an error of the leaf's API server into one for people. Errors that already are, and the context's, stay as they are.
func (l *Leaf) Explain(err error) error {
	var (
		explained *Error
		request   *url.Error
	)
	if err == nil || errors.As(err, &explained) || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &request) {
		return err // time ran out while nothing was being asked of the API server
	}
	explained = classify(err)
	explained.Leaf, explained.Err = l.Name, stripURL(err)
	explained.unanswered = errors.As(err, &request)
	return explained
}

// execPluginFailed is how client-go begins such errors; they have no type.
const execPluginFailed = "getting credentials: "

func classify(err error) *Error {
	switch {
	case apierrors.IsUnauthorized(err):
		return &Error{
			Summary: "the API server refuses the credentials",
			Hint:    "They may have expired: renew the token or certificate that the provider block or the kubeconfig gives for this leaf.",
		}
	case apierrors.IsForbidden(err), isDenied(err):
		return classifyRefusal(err)
	case strings.Contains(err.Error(), execPluginFailed):
		return &Error{
			Summary: "the credential plugin returned no credentials",
			Hint:    "Run the `exec` command of the provider block or the kubeconfig by hand and see what it says.",
		}
	case isUntrusted(err):
		return &Error{
			Summary: "the API server's certificate is not trusted",
			Hint:    "Check `cluster_ca_certificate`, `tls_server_name` and `host`, or the kubeconfig: they may belong to another cluster.",
		}
	case isUnknownResource(err):
		return &Error{Summary: "the API server does not know a kind that Liqo brings", Hint: "Install Liqo on this leaf, or update it."}
	}
	return classifyConnection(err)
}

// classifyConnection is for what is neither an answer that Kubernetes gives a name to, nor a matter of credentials.
func classifyConnection(err error) *Error {
	var request *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{
			Summary:     "the API server did not answer in time",
			Hint:        "Check that the cluster runs, and that no firewall or proxy drops what is sent to its address from here.",
			unreachable: true,
		}
	case errors.As(err, &request), apierrors.IsServiceUnavailable(err):
		return &Error{
			Summary:     "the API server can't be reached",
			Hint:        "Check that the cluster runs and that its address can be reached from here.",
			unreachable: true,
		}
	default:
		return &Error{Summary: "the API server answered with an error"}
	}
}

func isUntrusted(err error) bool {
	var (
		unknownAuthority x509.UnknownAuthorityError
		wrongHost        x509.HostnameError
		invalid          x509.CertificateInvalidError
	)
	return errors.As(err, &unknownAuthority) || errors.As(err, &wrongHost) || errors.As(err, &invalid)
}

// isUnknownResource tells "this kind does not exist" from "this object does not exist": only the latter has a name.
func isUnknownResource(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Reason == metav1.StatusReasonNotFound &&
		(status.Status().Details == nil || status.Status().Details.Name == "")
}

// stripURL drops the request's URL, which says nothing to a user; the address of the API server stays in what remains.
func stripURL(err error) error {
	var request *url.Error
	if !errors.As(err, &request) {
		return err
	}
	if server, parseErr := url.Parse(request.URL); parseErr == nil {
		return fmt.Errorf("%s: %w", server.Host, request.Err)
	}
	return request.Err
}

// explainMissingID explains why a leaf's ID could not be read. A cluster that answers but has none has no Liqo.
func (l *Leaf) explainMissingID(err error) error {
	if apierrors.IsNotFound(err) {
		return &Error{
			Leaf: l.Name, Summary: fmt.Sprintf("no Liqo in namespace %q", l.LiqoNamespace), Err: err,
			Hint:   "Install Liqo on this cluster, or set `liqo_namespace` to where it runs.",
			noLiqo: true,
		}
	}
	return l.Explain(err)
}
