package cluster

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

func TestAnErrorOfAnAPIServerBecomesASentenceAndAnAdvice(t *testing.T) {
	leaf := Absent("milan", "milan")
	leaf.LiqoNamespace = "liqo"
	request := func(err error) error { return &url.Error{Op: "Get", URL: "https://milan.example:6443/api", Err: err} }
	unknownKind := withoutKind()
	const withAnError, later = "the API server answered with an error",
		"It may be overloaded or restarting: try again later."
	for name, test := range map[string]struct {
		err             error
		summary, detail string // a part of the detail
		unreachable     bool
	}{
		"no answer": {
			request(errors.New("connection refused")), "the API server can't be reached",
			"The connection failed: milan.example:6443: connection refused", true,
		},
		"no answer in time": {
			request(context.DeadlineExceeded), "the API server did not answer in time",
			"The connection failed: milan.example:6443: context deadline exceeded", true,
		},
		"a proxy without an API server behind it": {
			apierrors.NewServiceUnavailable("no endpoints"), "the API server can't be reached",
			"The answer was: no endpoints\n\nCheck that the cluster runs", true,
		},
		"expired credentials": {
			apierrors.NewUnauthorized("expired"), "the API server refuses the credentials",
			"renew the token or certificate", false,
		},
		"a credential plugin that fails": {
			request(&access.PluginError{Err: errors.New("not found")}), "the credential plugin returned no credentials",
			"Run the `exec` command", false,
		},
		"no CRD": {unknownKind, "the API server does not know a kind that Liqo installs", "Install Liqo on this leaf", false},
		"a CRD that Liqo before 1.0 lacks": {
			unknownKind, "the API server does not know a kind that Liqo installs", "Liqo before 1.0 lacks it, too.", false,
		},
		"no such object": {
			apierrors.NewNotFound(pods, "gw"), withAnError,
			"The answer was: pods \"gw\" not found\n\nThe object was changed or deleted meanwhile: try again.", false,
		},
		"an object that was changed meanwhile": {
			apierrors.NewConflict(pods, "gw", errors.New("modified")), withAnError, "try again", false,
		},
		"an object that is not valid": {
			apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "gw", nil), withAnError,
			`Pod "gw" is invalid` + "\n\nCorrect what the answer names", false,
		},
		"an overload": {apierrors.NewTooManyRequests("slowly", 1), withAnError, later, false},
		"a database that is late": {
			apierrors.NewInternalError(errors.New("etcdserver: request timed out")), withAnError, later, false,
		},
		"a webhook that is down": {
			apierrors.NewInternalError(errors.New(`failed calling webhook "x": no endpoints`)), withAnError,
			"Check that this webhook runs, then try again.", false,
		},
		"an answer that can't be read": {errors.New("no kind"), withAnError, "The answer was: no kind", false},
		"no Liqo": {
			leaf.withoutID(), `no Liqo in namespace "liqo"`,
			"It has no ConfigMap with the labels app.kubernetes.io/name=clusterid-configmap", false,
		},
		"a path that nobody may read": {
			apierrors.NewForbidden(schema.GroupResource{}, "",
				errors.New(`User "eve" cannot get path "/openapi/v3/apis/networking.liqo.io/v1beta1"`)),
			"no permission to get /openapi/v3/apis/networking.liqo.io/v1beta1",
			"Give user \"eve\" a ClusterRole with this rule, on this leaf:\n\n" +
				"  nonResourceURLs: [\"/openapi/v3/apis/networking.liqo.io/v1beta1\"]\n  verbs: [\"get\"]", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			explained, ok := errors.AsType[*Error](leaf.Explain(test.err))
			if !ok || explained.Leaf != "milan" || explained.Summary != test.summary ||
				!strings.HasPrefix(explained.Error(), `leaf "milan": `+test.summary) {
				t.Fatalf("got %v", explained)
			}
			has(t, explained.Detail(), test.detail)
			if Unreachable(explained) != test.unreachable {
				t.Errorf("unreachable: %t, %v", Unreachable(explained), explained)
			}
		})
	}
}

func TestASilentAPIServerHasOneHeadlineWhicheverDeadlineEndsFirst(t *testing.T) {
	silent := newSilent(t)
	ask := func(transport *http.Transport, limit time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, silent.address, http.NoBody)
		must(t, err)
		answer, err := (&http.Client{Transport: transport}).Do(request)
		if err == nil {
			answer.Body.Close()
		}
		return err
	}
	noPackets := &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	for name, err := range map[string]error{
		"of the connection": &url.Error{Op: "Get", URL: silent.address, Err: noPackets},
		"of the handshake":  ask(&http.Transport{TLSHandshakeTimeout: time.Millisecond}, time.Minute),
		"of the request":    ask(&http.Transport{}, time.Millisecond),
		"of the answer":     fmt.Errorf("unexpected %s: %w", cutOff, context.DeadlineExceeded),
		"of a sign of life": &url.Error{Op: "Get", URL: silent.address, Err: errors.New("http2: client connection lost")},
	} {
		t.Run(name, func(t *testing.T) {
			explained, ok := errors.AsType[*Error](Absent("milan", "milan").Explain(err))
			if !ok || explained.Summary != "the API server did not answer in time" || !Unreachable(explained) ||
				!isSilence(err) {
				t.Errorf("%v became: %v", err, explained)
			}
		})
	}
}

func TestWhatIsExplainedOrNoneOfTheAPIServersStaysAsItIs(t *testing.T) {
	leaf := Absent("milan", "milan")
	for _, err := range []error{
		nil, context.Canceled, context.DeadlineExceeded, &Error{Problem: trouble.Problem{Leaf: "rome", Summary: "no"}},
		fmt.Errorf("while asking: %w", &Error{Problem: trouble.Problem{Leaf: "rome"}}),
	} {
		if got := leaf.Explain(err); !errors.Is(got, err) || fmt.Sprint(got) != fmt.Sprint(err) {
			t.Errorf("%v becomes %v", err, got)
		}
	}
}

func TestALeafIsLostIfNothingIsThereToAskAndNotIfItRefuses(t *testing.T) {
	leaf := Absent("milan", "milan")
	asked := func(err error) error {
		return leaf.Explain(&url.Error{Op: "Get", URL: "https://milan.example:6443/api", Err: err})
	}
	for name, test := range map[string]struct {
		err  error
		lost bool
	}{
		"no such name":                      {&UnknownNameError{Name: "milan"}, true},
		"no such name, and what follows":    {fmt.Errorf("%w. And more", &UnknownNameError{Name: "milan"}), true},
		"nobody at the address":             {asked(syscall.ECONNREFUSED), true},
		"no such address":                   {asked(syscall.EHOSTUNREACH), true},
		"no answer in time":                 {asked(context.DeadlineExceeded), true},
		"no time left to ask":               {context.DeadlineExceeded, false},
		"a connection that breaks":          {asked(syscall.ECONNRESET), false},
		"no network here":                   {asked(syscall.ENETUNREACH), false},
		"an API server that restarts":       {leaf.Explain(apierrors.NewServiceUnavailable("wait")), false},
		"no Liqo":                           {leaf.withoutID(), true},
		"no kinds of Liqo":                  {leaf.Explain(withoutKind()), true},
		"a certificate of another cluster":  {asked(x509.UnknownAuthorityError{}), true},
		"a certificate for another address": {asked(x509.HostnameError{Certificate: &x509.Certificate{}}), false},
		"a certificate that has expired": {
			asked(x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: x509.Expired}), false,
		},
		"a centre that is away": {
			withoutCentre("milan", "europe", Absent("europe", "").Explain(&url.Error{Err: syscall.ECONNREFUSED})), false,
		},
		"a centre with another certificate": {
			withoutCentre("milan", "europe", Absent("europe", "").Explain(&url.Error{Err: x509.UnknownAuthorityError{}})), false,
		},
		"a centre that is unknown":       {withoutCentre("milan", "europe", &UnknownNameError{Name: "europe"}), true},
		"credentials that have expired":  {leaf.Explain(apierrors.NewUnauthorized("expired")), false},
		"a missing permission":           {leaf.Explain(apierrors.NewForbidden(pods, "", errors.New("no"))), false},
		"a credential plugin that fails": {asked(&access.PluginError{Err: errors.New("not found")}), false},
		"an interruption":                {context.Canceled, false},
		"no error":                       {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if lost := Lost(test.err); lost != test.lost {
				t.Errorf("%v: got %t", test.err, lost)
			}
		})
	}
}

// withoutKind is the answer of an API server that does not know a kind.
func withoutKind() error {
	kind := schema.GroupResource{Group: "networking.liqo.io", Resource: "configurations"}
	return apierrors.NewGenericServerResponse(http.StatusNotFound, "get", kind, "", "404 page not found", 0, true)
}
