package end

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

func TestAChangeHasReachedLiqoOnceTheTechnologyCarriesIt(t *testing.T) {
	type spec = networkingv1beta1.GatewayServerSpec
	for name, test := range map[string]struct {
		change   func(*spec)
		restarts bool
	}{
		"MTU":              {func(s *spec) { s.MTU = 1400 }, true},
		"port":             {func(s *spec) { s.Endpoint.Port = 51900 }, true},
		"node port":        {func(s *spec) { s.Endpoint.NodePort = ptr.To[int32](31010) }, false},
		"type of Service":  {func(s *spec) { s.Endpoint.ServiceType = corev1.ServiceTypeLoadBalancer }, false},
		"load balancer IP": {func(s *spec) { s.Endpoint.LoadBalancerIP = new("192.0.2.10") }, false},
		"annotation":       {func(s *spec) { s.ServiceAnnotations = map[string]string{"example.com/a": "b"} }, false},
		"label":            {func(s *spec) { s.ServiceLabels = map[string]string{"a": "b"} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := renderedWith(t, nil), renderedWith(t, test.change)
			before.Deployment.Spec.RevisionHistoryLimit = ptr.To[int32](10) // a default of the API server
			if !before.carry(renderedWith(t, nil)) {
				t.Fatal("a default of the API server counts as a change")
			}
			if before.carry(after) {
				t.Error("the change counts as done already")
			}
			if after.carry(renderedWith(t, nil)) {
				t.Error("taking the change back counts as done already")
			}
			if got := before.restartFor(after); got != test.restarts {
				t.Errorf("restarts: %t", got)
			}
		})
	}
}
