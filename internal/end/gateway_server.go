package end

import (
	"context"
	"fmt"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// checkServiceMetadata fails if the settings have labels or annotations for the Service, and Liqo on this leaf can't
// set them.
func (e *End) checkServiceMetadata(ctx context.Context, spec liqo.GatewaySettings) error {
	if len(spec.ServiceAnnotations) == 0 && len(spec.ServiceLabels) == 0 {
		return nil
	}
	able, err := liqo.CapabilitiesOf(ctx, e.Leaf)
	if err != nil || able.ServiceMetadata {
		return err
	}
	var setting error
	if len(spec.ServiceAnnotations) == 0 {
		setting = about("service_labels")
	}
	return &trouble.Problem{
		ID: trouble.NoEntry, Leaf: e.Leaf.Name, Err: setting,
		Summary: fmt.Sprintf("%s on this leaf can't set labels or annotations of a gateway's Service",
			liqo.Name(ctx, e.Leaf)),
		Advice: fmt.Sprintf("Remove `service_annotations` and `service_labels`, or update Liqo on %q to 1.2. In older "+
			"versions they belong in a template of your own: set `template` to one whose Service has them.", e.Leaf.Name),
	}
}

// checkNodePort fails if the leaf can't give the gateway's Service its node port, for instance because another Service
// has it. It creates such a Service as a dry run, unless a gateway has the port, which may be this one, or one that the
// same apply removes. What it can't find out, for example because it may not ask, is no problem.
func (e *End) checkNodePort(ctx context.Context, spec liqo.GatewaySettings) error {
	if spec.NodePort == 0 {
		return nil
	}
	var gateways networkingv1beta1.GatewayServerList
	if err := e.Leaf.ListCached(ctx, &gateways); err != nil {
		return err
	}
	for i := range gateways.Items {
		endpoint := gateways.Items[i].Status.Endpoint
		if ptr.Deref(gateways.Items[i].Spec.Endpoint.NodePort, 0) == spec.NodePort ||
			endpoint != nil && endpoint.Port == spec.NodePort {
			return nil
		}
	}
	err := e.Leaf.TryCreate(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: e.Leaf.LiqoNamespace, Name: gatewayforge.GatewayResourceName(string(e.Remote.ID)),
		},
		Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort, Ports: []corev1.ServicePort{{
			Port: liqo.DefaultPort, NodePort: spec.NodePort, Protocol: corev1.ProtocolUDP,
		}}},
	})
	if !apierrors.IsInvalid(err) || !strings.Contains(cluster.Answer(err), "nodePort") {
		return nil
	}
	return &trouble.Problem{
		ID: trouble.NoEntry, Leaf: e.Leaf.Name,
		Summary:  fmt.Sprintf("node port %d can't be used", spec.NodePort),
		Evidence: []string{"The API server says: " + trouble.ShownLines(cluster.Answer(err))},
		Advice:   "Set another `node_port`, or remove it: then Kubernetes chooses one.",
		Err:      err,
	}
}

// checkLoadBalancer returns a problem if the leaf's load balancer gives several Services the same address, and another
// one has the gateway's port, so that the gateway would wait for an address.
func (e *End) checkLoadBalancer(ctx context.Context, spec liqo.GatewaySettings) error {
	if spec.ServiceType != corev1.ServiceTypeLoadBalancer {
		return nil
	}
	own := gatewayforge.GatewayResourceName(string(e.Remote.ID))
	holder, shared, err := liqo.PortHolder(ctx, e.Leaf, own, spec.Port)
	if err != nil || holder == nil || !shared {
		return err
	}
	return &trouble.Problem{
		ID: "load-balancer-port-taken", Leaf: e.Leaf.Name,
		Summary: fmt.Sprintf("port %d of the load balancer is taken", spec.Port),
		Evidence: []string{fmt.Sprintf("%s has this UDP port, and the load balancer gives several Services the same "+
			"address.", e.Leaf.Describe(holder))},
		Advice: "Unless the same apply removes that Service, set another `port`, or `service_type = \"NodePort\"`.",
	}
}

// WaitForEndpoint waits for the endpoint of this leaf's gateway. Liqo reports it once the gateway's Service has an
// address. With node ports, this is the node of the active pod, and a gateway whose pods are replaced one after the
// other gets another one.
func (e *End) WaitForEndpoint(ctx context.Context, gateway EnsuredGateway) (liqo.Endpoint, error) {
	var endpoint *liqo.Endpoint
	moves := gateway.Rolls && gateway.service != nil && gateway.service.Spec.Type == corev1.ServiceTypeNodePort
	settled := true
	read := func(ctx context.Context) (liqo.Objects, error) {
		objects, err := e.Find(ctx)
		if err == nil && moves && objects.GatewayAs(liqo.ServerRole) != nil {
			settled, err = e.knowsActivePod(ctx, objects.Gateway.Server)
		}
		return objects, err
	}
	err := e.waitForGateway(ctx, "the gateway's Service to get an address", read, func(objects liqo.Objects) bool {
		endpoint = objects.Endpoint()
		return settled && endpoint != nil &&
			(gateway.service == nil || endpoint.Reaches(gateway.service))
	})
	if err != nil {
		return liqo.Endpoint{}, err
	}
	return *endpoint, nil
}

// knowsActivePod reports whether Liqo has reported the addresses of the gateway's active pod. Without the permission to
// list pods, nobody can say that it has not.
func (e *End) knowsActivePod(ctx context.Context, gateway *networkingv1beta1.GatewayServer) (bool, error) {
	pods, err := liqo.PodsOf(ctx, e.Leaf, gateway)
	if cluster.MissingPermission(err) || err == nil && len(pods) == 0 {
		return true, nil
	}
	active, reported := activeOf(pods), gateway.Status.InternalEndpoint
	return active != nil && reported != nil && ptr.Deref(reported.IP, "").String() == active.Status.PodIP, err
}
