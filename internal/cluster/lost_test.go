package cluster

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

func TestALeafIsLostIfNothingIsThereToAskAndNotIfItRefuses(t *testing.T) {
	leaf := Absent("milan", "milan")
	maps := schema.GroupResource{Resource: "configmaps"}
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
		"a missing permission":           {leaf.Explain(apierrors.NewForbidden(maps, "", errors.New("no"))), false},
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
