package cluster

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

func TestAnErrorOfAnAPIServerBecomesASentenceAndAnAdvice(t *testing.T) {
	leaf := Absent("milan", "milan")
	leaf.LiqoNamespace = "liqo"
	request := func(err error) error {
		return &url.Error{Op: "Get", URL: "https://milan.example:6443/api?fieldManager=x", Err: err}
	}
	gateways := schema.GroupResource{Group: "networking.liqo.io", Resource: "gatewayservers"}
	refused := func(message string) error { return apierrors.NewForbidden(gateways, "rome", errors.New(message)) }
	may := func(verb string) string {
		return `User "jane" cannot ` + verb + ` resource "gatewayservers" in API group "networking.liqo.io" `
	}
	status := func(code int32, reason metav1.StatusReason, message string) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Code: code, Reason: reason, Message: message}}
	}
	const away, late, withAnError = "the API server can't be reached", "the API server did not answer in time",
		"the API server answered with an error"
	const unknown, refuses = "the API server does not know a kind that Liqo installs", "the API server refuses a request"
	const later = "It may be overloaded or restarting: try again later."
	for name, test := range map[string]struct {
		err     error
		summary string
		details []string
	}{
		"no answer": {request(errors.New("connection refused")), away, []string{
			"The connection failed: milan.example:6443: connection refused",
		}},
		"no answer in time": {request(context.DeadlineExceeded), late, []string{
			"The connection failed: milan.example:6443: context deadline exceeded",
		}},
		"an answer that is cut off": {
			fmt.Errorf("unexpected %s: %w", cutOff, io.ErrUnexpectedEOF), "the API server's answer was cut off",
			[]string{"The connection failed: "},
		},
		"a proxy without an API server behind it": {apierrors.NewServiceUnavailable("no endpoints"), away, []string{
			"The answer was: no endpoints\n\nCheck that the cluster runs",
		}},
		"expired credentials": {
			apierrors.NewUnauthorized("expired"), "the API server refuses the credentials",
			[]string{"renew the token or certificate"},
		},
		"a credential plugin that fails": {
			request(&access.PluginError{Err: errors.New("not found")}), "the credential plugin returned no credentials",
			[]string{"Run the `exec` command"},
		},
		"no CRD": {withoutKind(), unknown, []string{"Install Liqo on this leaf", "Liqo before 1.0 lacks it, too."}},
		"no such object": {apierrors.NewNotFound(pods, "gw"), withAnError, []string{
			"The answer was: pods \"gw\" not found\n\nThe object was changed or deleted meanwhile: try again.",
		}},
		"an object that was changed meanwhile": {
			apierrors.NewConflict(pods, "gw", errors.New("modified")), withAnError, []string{"try again"},
		},
		"an object that is not valid": {
			apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "gw", nil), withAnError,
			[]string{`Pod "gw" is invalid` + "\n\nCorrect what the answer names"},
		},
		"an overload": {apierrors.NewTooManyRequests("slowly", 1), withAnError, []string{later}},
		"a database that is late": {
			apierrors.NewInternalError(errors.New("etcdserver: request timed out")), withAnError, []string{later},
		},
		"a webhook that is down": {
			apierrors.NewInternalError(errors.New(`failed calling webhook "x": no endpoints`)), withAnError,
			[]string{"Check that this webhook runs, then try again."},
		},
		"an answer that can't be read": {errors.New("no kind"), withAnError, []string{"The answer was: no kind"}},
		"no Liqo": {leaf.withoutID(), `no Liqo in namespace "liqo"`, []string{
			"It has no ConfigMap with the labels app.kubernetes.io/name=clusterid-configmap",
		}},

		"a path that nobody may read": {
			apierrors.NewForbidden(schema.GroupResource{}, "",
				errors.New(`User "eve" cannot get path "/openapi/v3/apis/networking.liqo.io/v1beta1"`)),
			"no permission to get /openapi/v3/apis/networking.liqo.io/v1beta1", []string{
				"Give user \"eve\" a ClusterRole with this rule, on this leaf:\n\n" +
					"  nonResourceURLs: [\"/openapi/v3/apis/networking.liqo.io/v1beta1\"]\n  verbs: [\"get\"]",
			},
		},
		"a missing permission in a namespace": {
			refused(may("patch") + `in the namespace "liqo-tenant-rome"`),
			"no permission to patch gatewayservers.networking.liqo.io", []string{
				`Give user "jane" a ClusterRole, or a Role of namespace "liqo-tenant-rome", with`, `verbs: ["patch"`,
			},
		},
		"a missing permission in the whole cluster": {
			refused(may("watch") + "at the cluster scope"), "no permission to watch gatewayservers.networking.liqo.io",
			[]string{`Give user "jane" a ClusterRole with`, "verbs: ["},
		},
		"a missing permission of the core group": {
			refused(`User "jane" cannot get resource "secrets" in API group "" in the namespace "liqo-tenant-rome"`),
			"no permission to get secrets", []string{`Give user "jane" a ClusterRole, or a Role`, "verbs: ["},
		},
		"a missing permission to create, which Kubernetes 1.30 does not name": {
			refused(""), "no permission to create gatewayservers.networking.liqo.io",
			[]string{"Give the user of the provider block a ClusterRole with", `verbs: ["create"]`},
		},
		"a refusal of several lines": {
			refused("admission webhook \"x\" denied the request:\n\npolicy no-gateways:\n\tports: not these"), refuses,
			[]string{"denied the request:\n  | policy no-gateways:\n  |   ports: not these"},
		},
		"a quota": {
			refused("exceeded quota: none, requested: count/gatewayservers=1"), refuses,
			[]string{"exceeded quota: none, requested: count/gatewayservers=1"},
		},
		"a policy": {
			status(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, `gatewayservers "rome" is forbidden: `+
				"ValidatingAdmissionPolicy 'none' with binding 'none' denied request: not here"), refuses,
			[]string{"ValidatingAdmissionPolicy 'none' with binding 'none' denied request: not here"},
		},
		"a webhook": {
			status(http.StatusBadRequest, "", `admission webhook "no.example" denied the request: not here`), refuses,
			[]string{`admission webhook "no.example" denied the request: not here`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			explained, ok := errors.AsType[*Error](leaf.Explain(test.err))
			if !ok || explained.Leaf != "milan" || explained.Summary != test.summary ||
				!strings.HasPrefix(explained.Error(), `leaf "milan": `+test.summary) {
				t.Fatalf("got %v", explained)
			}
			has(t, explained.Detail(), test.details...)
			if strings.Contains(explained.Detail(), "fieldManager") || strings.Contains(explained.Detail(), `\n`) {
				t.Errorf("it has more of the address than its host, or a line break as text:\n%s", explained.Detail())
			}
			silent := test.summary == away || test.summary == late || strings.HasSuffix(test.summary, "was cut off")
			if Unreachable(explained) != silent {
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
