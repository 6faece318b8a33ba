package cluster

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strings"

	"github.com/liqotech/liqo/pkg/consts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Error is what is wrong with one leaf, and what that says about the leaf. The evidence is the error of the API server
// or client-go. A check that has found something on a leaf that answers returns a [trouble.Problem] instead.
type Error struct {
	trouble.Problem

	unreachable bool // the leaf does not answer now
	barred      bool // something before the leaf fails, so nothing is known of it
	lost        bool // the leaf may be gone for good
	noLiqo      bool
}

// Error returns the whole text. It is one line, because other texts quote it.
func (e *Error) Error() string {
	text := fmt.Sprintf("leaf %q: %s: %s", e.Leaf, e.Summary, quoted(e.Err, trouble.Shown))
	if e.Advice != "" {
		text += ". " + e.Advice
	}
	return text
}

// quoted returns the text of a cause. The API server has written most of it, so it is shown, unless it is explained
// itself.
func quoted(cause error, shown func(string) string) string {
	switch {
	case cause == nil:
		return ""
	case isA[*Error](cause):
		return trouble.ShownParagraphs(cause.Error())
	default:
		return shown(cause.Error())
	}
}

// Found returns the error for what is no answer: this provider or a library has found the cause in what was read.
func Found(problem trouble.Problem) *Error {
	return (&Error{Problem: problem}).because(problem.Leaf, problem.Err, "")
}

// What comes before a cause that is an answer, or that there was none.
const (
	answered   = "The answer was: "
	unanswered = "The connection failed: "
)

// because sets the leaf, the cause, and the evidence: the cause after the lead, or as a sentence without one. If the
// cause is another leaf that does not answer, neither does this one.
func (e *Error) because(leaf string, cause error, lead string) *Error {
	text := lead + quoted(cause, trouble.ShownLines)
	if lead == "" {
		text = trouble.Sentence(text)
	}
	e.Leaf, e.Err, e.Evidence = leaf, cause, []string{text}
	for inner, ok := errors.AsType[*Error](cause); ok; inner, ok = errors.AsType[*Error](inner.Err) {
		e.Causes, e.unreachable = append(e.Causes, inner.ID), e.unreachable || inner.unreachable
	}
	return e
}

// Unreachable reports whether an error means that a leaf's API server did not answer, so that its objects are unknown.
func Unreachable(err error) bool {
	var explained *Error
	return errors.As(err, &explained) && explained.unreachable
}

// Unwritten reports whether an error means that a file of a leaf's credentials does not exist. An apply may write it.
func Unwritten(err error) bool {
	explained, ok := errors.AsType[*Error](err)
	return ok && explained.ID == "credentials-unusable" && errors.Is(err, fs.ErrNotExist)
}

// NoLiqo reports whether an error means that a cluster answers, but has no Liqo in the namespace that was searched.
func NoLiqo(err error) bool {
	var explained *Error
	return errors.As(err, &explained) && explained.noLiqo
}

// Explain turns an error of the leaf's API server into an [Error]. It returns any [Error] and the context's errors
// unchanged.
func (l *Leaf) Explain(err error) error {
	var (
		explained *Error
		request   *url.Error
	)
	if err == nil || errors.As(err, &explained) || errors.Is(err, context.Canceled) {
		return err
	}
	failed := errors.As(err, &request) || isCutOff(err)
	if errors.Is(err, context.DeadlineExceeded) && !failed {
		return err // time ran out while nothing was being asked of the API server
	}
	lead := answered
	switch {
	case isA[*access.PluginError](err):
		lead = ""
	case failed:
		lead = unanswered
	}
	explained = classify(err).because(l.Name, stripURL(err), lead)
	explained.Advice += l.centreAdvice(err)
	return explained
}

func classify(err error) *Error {
	switch {
	case apierrors.IsUnauthorized(err):
		return &Error{Problem: trouble.Problem{
			ID:      "credentials-refused",
			Summary: "the API server refuses the credentials",
			Advice: "They may have expired: renew the token or certificate that the provider block or the kubeconfig gives " +
				"for this leaf.",
		}}
	case apierrors.IsForbidden(err), isDenied(err):
		return classifyRefusal(err)
	case isA[*access.PluginError](err):
		return &Error{Problem: trouble.Problem{
			ID:      "credential-plugin-failed",
			Summary: "the credential plugin returned no credentials",
			Advice:  "Run the `exec` command of the provider block or the kubeconfig by hand and check its output.",
		}}
	case isUntrusted(err):
		// Behind another name or after its time, the leaf may be the same.
		return &Error{lost: isA[x509.UnknownAuthorityError](err), Problem: trouble.Problem{
			ID:      "certificate-untrusted",
			Summary: "the API server's certificate is not trusted",
			Advice: "Check `cluster_ca_certificate`, `tls_server_name` and `host`, or the kubeconfig: " +
				"they may belong to another cluster.",
		}}
	case isUnknownResource(err):
		return &Error{lost: true, Problem: trouble.Problem{
			ID:      "liqo-kind-unknown",
			Summary: "the API server does not know a kind that Liqo installs",
			Advice: "Liqo before 1.0 lacks it, too. Install Liqo on this leaf, or update it with its custom resource " +
				"definitions.",
		}}
	}
	return classifyConnection(err)
}

// answerAdvice returns what to do about an answer that has no explanation of its own. It is empty for another error.
func answerAdvice(err error) string {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return ""
	}
	switch code := answer.Status().Code; {
	case strings.Contains(err.Error(), "failed calling webhook"):
		return "Check that this webhook runs, then try again."
	case code == http.StatusTooManyRequests || code >= http.StatusInternalServerError:
		return "It may be overloaded or restarting: try again later."
	case code == http.StatusNotFound || code == http.StatusConflict || code == http.StatusGone:
		return "The object was changed or deleted meanwhile: try again."
	default:
		return "Correct what the answer names, then try again."
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

// isUnknownResource reports whether a kind does not exist. The error for a missing object has a name and the words of
// Kubernetes, this one lacks one of them.
func isUnknownResource(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Reason == metav1.StatusReasonNotFound &&
		(status.Status().Details == nil || status.Status().Details.Name == "" || !IsAbsent(err))
}

// stripURL replaces the request's URL, which does not help a user, with the address of the API server. Nothing was sent
// there if the credential plugin has failed.
func stripURL(err error) error {
	var (
		request *url.Error
		plugin  *access.PluginError
	)
	if errors.As(err, &plugin) {
		return plugin
	}
	if !errors.As(err, &request) {
		return err
	}
	if server, parseErr := url.Parse(request.URL); parseErr == nil {
		return fmt.Errorf("%s: %w", server.Host, request.Err)
	}
	return request.Err
}

// withoutID returns the error for a cluster that answers but has no ID. It has no Liqo.
func (l *Leaf) withoutID() error {
	without := Found(trouble.Problem{
		ID: "liqo-missing", Leaf: l.Name, Summary: fmt.Sprintf("no Liqo in namespace %q", l.LiqoNamespace),
		Advice: "Install Liqo on this cluster, or set `liqo_namespace` to where it runs.",
		Err:    fmt.Errorf("it has no ConfigMap with the labels %s", consts.ClusterIDConfigMapSelector()),
	})
	without.noLiqo, without.lost = true, true
	return without
}

// Lost reports whether an error of connecting to a leaf means that the leaf may be gone for good. Then its name is
// unknown, nothing answers at its address, the cluster there has no Liqo, none of Liqo's kinds or another cluster's
// certificate, or its centre is unknown or not peered with it. A leaf is not lost because a request to it was not sent,
// or because something else has answered, nor because it refuses the credentials. [connectionFailures] has each case.
func Lost(err error) bool {
	explained, ok := errors.AsType[*Error](err)
	return isA[*UnknownNameError](err) || ok && explained.lost
}
