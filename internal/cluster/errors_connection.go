package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// connectionFailures are the ways in which a request can fail before an API server has answered it, or in which
// something else answers. Each has its judgement. The first one that matches counts, so what a proxy, a name server or
// this machine says comes before what looks like a silent leaf.
//
// A leaf is lost, so that a destroy may give it up, only if its own address shows it: nothing listens there, nothing
// has this address, or it swallows packets. Where something answers, or the request has not left this machine or its
// network, nothing is known of the leaf.
var connectionFailures = []struct {
	is func(error) bool
	Error
}{
	{isA[*answerTooLargeError], Error{Problem: trouble.Problem{
		ID:      "answer-too-large",
		Summary: "the API server answers too much",
		Advice: "No answer that this provider needs is so large. Find out what fills this list on the leaf, and who " +
			"has made it.",
	}}},
	{isOfProxy, Error{barred: true, Problem: trouble.Problem{
		ID:      "proxy-failed",
		Summary: "the proxy does not connect to the API server",
		Advice: "Check `proxy_url` and the kubeconfig's `proxy-url`, or else the environment variables HTTPS_PROXY and " +
			"NO_PROXY, and what the proxy allows. The URL of most proxies begins with http://, also for HTTPS.",
	}}},
	{isOfSomethingElse, Error{barred: true, Problem: trouble.Problem{
		ID:      "not-an-api-server",
		Summary: "the address is not that of an API server",
		Advice: "Set the address of the API server as `host` or in the kubeconfig, and check whether a proxy, a load " +
			"balancer or a login page answers in its place.",
	}}},
	{isA[*net.DNSError], Error{barred: true, Problem: trouble.Problem{
		ID:      "name-not-resolved",
		Summary: "the API server's name is not resolved",
		Advice: "Check the name in `host` or the kubeconfig, and the name servers and VPN of this machine. If the cluster " +
			"is gone for good, remove it from the provider block and the kubeconfig: then it counts as lost.",
	}}},
	{isOfThisMachine, Error{barred: true, Problem: trouble.Problem{
		ID:      "no-way-out",
		Summary: "this machine can't connect to the API server",
		Advice:  "Check the network, the firewall and the limits of the machine that runs Terraform.",
	}}},
	{isSilence, Error{unreachable: true, lost: true, Problem: trouble.Problem{
		ID:      "api-server-silent",
		Summary: "the API server did not answer in time",
		Advice:  "Check that the cluster runs, and that no firewall or proxy drops packets to its address.",
	}}},
	{isCutOff, Error{unreachable: true, Problem: trouble.Problem{
		ID:      "answer-cut-off",
		Summary: "the API server's answer was cut off",
		Advice:  "Check the network between here and the cluster, and apply again.",
	}}},
	{isNobodyThere, Error{unreachable: true, lost: true, Problem: unreachableServer}},
	// For instance an API server that restarts, and one that resets the connection.
	{func(err error) bool { return isA[*url.Error](err) || apierrors.IsServiceUnavailable(err) },
		Error{unreachable: true, Problem: unreachableServer}},
}

var unreachableServer = trouble.Problem{
	ID:      "api-server-unreachable",
	Summary: "the API server can't be reached",
	Advice:  "Check that the cluster runs and that its address can be reached from here.",
}

// classifyConnection handles errors that are neither an answer with a known Kubernetes reason nor about credentials.
func classifyConnection(err error) *Error {
	for _, failure := range connectionFailures {
		if failure.is(err) {
			return new(failure.Error)
		}
	}
	return &Error{Problem: trouble.Problem{
		ID: "api-server-error", Summary: "the API server answered with an error", Advice: answerAdvice(err),
	}}
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// isOfSomethingElse reports whether what answers is no API server.
func isOfSomethingElse(err error) bool {
	operation, ok := errors.AsType[*net.OpError](err)
	refusesTLS := ok && operation.Op == "remote error" // an API server's own is a certificate, or an answer
	return isA[*strangerError](err) || errors.Is(err, http.ErrSchemeMismatch) || isA[tls.RecordHeaderError](err) ||
		refusesTLS
}

// isOfProxy reports whether a proxy was not reached, or has refused.
func isOfProxy(err error) bool {
	operation, ok := errors.AsType[*net.OpError](err)
	return isA[*proxyError](err) || ok && (operation.Op == "proxyconnect" || strings.HasPrefix(operation.Op, "socks"))
}

// isOfThisMachine reports whether no packet can have left this machine.
func isOfThisMachine(err error) bool {
	return isAnyOf(err, syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EADDRNOTAVAIL, syscall.EAFNOSUPPORT,
		syscall.EACCES, syscall.EPERM, syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS)
}

// isNobodyThere reports whether nothing has this address, or nothing listens there.
func isNobodyThere(err error) bool {
	return isAnyOf(err, syscall.ECONNREFUSED, syscall.EHOSTUNREACH, syscall.EHOSTDOWN)
}

func isAnyOf(err error, codes ...syscall.Errno) bool {
	code, ok := errors.AsType[syscall.Errno](err)
	return ok && slices.Contains(codes, code)
}

// isSilence reports whether an error means that nothing answered in time. Which time limit ends first depends on the
// machine's load: that of the connection, of TLS, of the request or of HTTP/2's ping.
func isSilence(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || utilnet.IsTimeout(err) || utilnet.IsHTTP2ConnectionLost(err)
}

// cutOff is in client-go's errors for an answer whose connection was lost, which have no type.
const cutOff = "error when reading response body"

func isCutOff(err error) bool { return strings.Contains(err.Error(), cutOff) }
