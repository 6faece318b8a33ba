package end

import (
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
)

// renderedTemplate has the places of Liqo's own template that depend on a gateway.
func renderedTemplate() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"template": map[string]any{
		"spec": map[string]any{
			"service": map[string]any{
				"metadata": map[string]any{"annotations": map[string]any{"speed": "slow", "template": "large"}},
				"spec": map[string]any{
					"type":            "{{ .Spec.Endpoint.ServiceType }}",
					"?loadBalancerIP": "{{ .Spec.Endpoint.LoadBalancerIP }}",
					"ports": []any{map[string]any{
						"port": "{{ .Spec.Endpoint.Port }}", "protocol": "UDP", "targetPort": "{{ .Spec.Endpoint.Port }}",
						"?nodePort": "{{ .Spec.Endpoint.NodePort }}",
					}},
				},
			},
			"deployment": map[string]any{"spec": map[string]any{
				"replicas": int64(1),
				"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{
					"name": "wireguard", "args": []any{"--mtu={{ .Spec.MTU }}", "--remote={{ .ClusterID }}"},
				}}}},
			}},
		},
	}}}}
}

// renderedWith returns the parts of a gateway over a node port with a changed spec.
func renderedWith(t *testing.T, change func(*networkingv1beta1.GatewayServerSpec)) parts {
	t.Helper()
	spec := networkingv1beta1.GatewayServerSpec{
		MTU: 1340, Endpoint: networkingv1beta1.Endpoint{Port: 51840, ServiceType: corev1.ServiceTypeNodePort},
	}
	if change != nil {
		change(&spec)
	}
	rendered, err := renderParts(renderedTemplate(), rendering{Spec: spec, Name: "rome", ClusterID: "rome"})
	if err != nil {
		t.Fatal(err)
	}
	return rendered
}

func TestATemplateIsRenderedAsLiqoDoesIt(t *testing.T) {
	got := renderedWith(t, func(spec *networkingv1beta1.GatewayServerSpec) {
		spec.Endpoint.NodePort = ptr.To[int32](31010)
		spec.ServiceAnnotations = map[string]string{"speed": "fast"}
		spec.ServiceLabels = map[string]string{"team": "network"}
	})
	service, port := got.Service, got.Service.Spec.Ports[0]
	if service.Spec.Type != corev1.ServiceTypeNodePort || port.Port != 51840 || port.TargetPort.IntValue() != 51840 ||
		port.NodePort != 31010 || port.Protocol != corev1.ProtocolUDP {
		t.Errorf("the Service has %+v", service.Spec)
	}
	if metadata := service.Metadata; metadata.Annotations["speed"] != "fast" ||
		metadata.Annotations["template"] != "large" || metadata.Labels["team"] != "network" {
		t.Errorf("the Service is marked %v and %v", metadata.Annotations, metadata.Labels)
	}
	args := got.Deployment.Spec.Template.Spec.Containers[0].Args
	if !slices.Equal(args, []string{"--mtu=1340", "--remote=rome"}) {
		t.Errorf("the arguments are %v", args)
	}
}

func TestAChangeHasReachedLiqoOnceTheTechnologyCarriesIt(t *testing.T) {
	type spec = networkingv1beta1.GatewayServerSpec
	for name, test := range map[string]struct {
		change   func(*spec)
		restarts bool
	}{
		"MTU":              {func(s *spec) { s.MTU = 1400 }, true},
		"port":             {func(s *spec) { s.Endpoint.Port = 51900 }, false},
		"node port":        {func(s *spec) { s.Endpoint.NodePort = ptr.To[int32](31010) }, false},
		"type of Service":  {func(s *spec) { s.Endpoint.ServiceType = corev1.ServiceTypeLoadBalancer }, false},
		"load balancer IP": {func(s *spec) { s.Endpoint.LoadBalancerIP = new("192.0.2.10") }, false},
		"annotation":       {func(s *spec) { s.ServiceAnnotations = map[string]string{"example.com/a": "b"} }, false},
		"label":            {func(s *spec) { s.ServiceLabels = map[string]string{"a": "b"} }, false},
	} {
		before, after := renderedWith(t, nil), renderedWith(t, test.change)
		before.Deployment.Spec.RevisionHistoryLimit = ptr.To[int32](10) // a default of the API server
		if !before.carry(renderedWith(t, nil)) {
			t.Fatal("a default of the API server counts as a change")
		}
		if before.carry(after) {
			t.Errorf("%s: the change counts as done already", name)
		}
		if after.carry(renderedWith(t, nil)) {
			t.Errorf("%s: taking the change back counts as done already", name)
		}
		if got := before.restartFor(after); got != test.restarts {
			t.Errorf("%s: restarts: %t", name, got)
		}
	}
}
