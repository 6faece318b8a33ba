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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// forgeGatewayServer returns the wanted gateway. It takes its name and namespace from existing, if that is not nil.
//
// It does not use Liqo's own forge for gateways. That needs a whole clientset to find one kind, which would add every
// API of Kubernetes to the binary.
func (e *End) forgeGatewayServer(
	ctx context.Context, existing *liqo.Gateway, namespace string, spec liqo.GatewayServer,
) (desiredGateway, error) {
	gateway := &networkingv1beta1.GatewayServer{
		ObjectMeta: e.gatewayMeta(namespace),
		Spec: networkingv1beta1.GatewayServerSpec{
			MTU: spec.MTU,
			Endpoint: networkingv1beta1.Endpoint{
				Port:           spec.Port,
				ServiceType:    spec.ServiceType,
				NodePort:       pointerTo(spec.NodePort),
				LoadBalancerIP: pointerTo(spec.LoadBalancerIP),
			},
			SecretRef:          corev1.LocalObjectReference{Name: spec.KeySecret},
			ServiceAnnotations: spec.ServiceAnnotations,
			ServiceLabels:      spec.ServiceLabels,
		},
	}
	setRotation(gateway, spec.KeyRotation)
	e.setLimited(gateway, spec.Limited)
	if existing != nil {
		gateway.Name, gateway.Namespace = existing.GetName(), existing.GetNamespace()
		e.Owner.KeepOrigin(gateway, existing)
		keepDerived(gateway, existing)
	}
	desired := liqo.GatewayOf(gateway)
	derived, err := e.takeTemplate(ctx, desired, spec)
	return desiredGateway{desired, derived}, err
}

// pointerTo returns nil for the zero value, which leaves the choice to Kubernetes.
func pointerTo[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// EnsureGatewayServer creates the gateway that the other leaf dials, or changes it in place. After a change, it returns
// when the gateway's Service has changed, but does not wait for pods that restart.
func (e *End) EnsureGatewayServer(
	ctx context.Context, namespace string, spec liqo.GatewayServer,
) (EnsuredGateway, error) {
	objects, err := e.Find(ctx)
	if err != nil {
		return EnsuredGateway{}, err
	}
	existing := objects.GatewayAs(liqo.ServerRole)
	gateway, err := e.forgeGatewayServer(ctx, existing, namespace, spec)
	if err != nil {
		return EnsuredGateway{}, err
	}
	if err := e.CheckServiceMetadata(ctx, spec); err != nil {
		return EnsuredGateway{}, err
	}
	if existing == nil {
		return e.createGateway(ctx, gateway)
	}
	ensured, made, err := e.changeGateway(ctx, objects, existing, gateway)
	if err != nil || made == nil {
		return ensured, err
	}
	ensured.service, err = e.changeService(ctx, existing.Server, made.Service)
	return ensured, err
}

// CheckServiceMetadata fails if the settings have labels or annotations for the Service, and Liqo on this leaf can't
// set them.
func (e *End) CheckServiceMetadata(ctx context.Context, spec liqo.GatewayServer) error {
	if len(spec.ServiceAnnotations) == 0 && len(spec.ServiceLabels) == 0 {
		return nil
	}
	able, err := liqo.CapabilitiesOf(ctx, e.Leaf)
	if err != nil || able.ServiceMetadata {
		return err
	}
	return &trouble.Problem{
		ID: trouble.NoEntry, Leaf: e.Leaf.Name,
		Summary: fmt.Sprintf("%s on this leaf can't set labels or annotations of a gateway's Service",
			liqo.Name(ctx, e.Leaf)),
		Advice: fmt.Sprintf("Remove `service_annotations` and `service_labels`, or update Liqo on %q to 1.2. In older "+
			"versions they belong in a template of your own: set `template` to one whose Service has them.", e.Leaf.Name),
	}
}

// CheckNodePort fails if the leaf can't give the gateway's Service its node port, for instance because another Service
// has it. It creates such a Service as a dry run, unless a gateway has the port, which may be this one, or one that the
// same apply removes. What it can't find out, for example because it may not ask, is no problem.
func (e *End) CheckNodePort(ctx context.Context, spec liqo.GatewayServer) error {
	if spec.NodePort == 0 {
		return nil
	}
	var gateways networkingv1beta1.GatewayServerList
	if err := e.Leaf.Cached.List(ctx, &gateways); err != nil {
		return e.Leaf.Explain(err)
	}
	for i := range gateways.Items {
		endpoint := gateways.Items[i].Status.Endpoint
		if ptr.Deref(gateways.Items[i].Spec.Endpoint.NodePort, 0) == spec.NodePort ||
			endpoint != nil && endpoint.Port == spec.NodePort {
			return nil
		}
	}
	err := e.Leaf.Live.Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: e.Leaf.LiqoNamespace, Name: gatewayforge.GatewayResourceName(string(e.Remote.ID)),
		},
		Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort, Ports: []corev1.ServicePort{{
			Port: liqo.DefaultPort, NodePort: spec.NodePort, Protocol: corev1.ProtocolUDP,
		}}},
	}, client.DryRunAll)
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "nodePort") {
		return nil
	}
	return &trouble.Problem{
		ID: trouble.NoEntry, Leaf: e.Leaf.Name,
		Summary:  fmt.Sprintf("node port %d can't be used", spec.NodePort),
		Evidence: []string{"The API server says: " + cluster.ShownLines(err.Error())},
		Advice:   "Set another `node_port`, or remove it: then Kubernetes chooses one.",
		Err:      err,
	}
}

// CheckLoadBalancer returns a problem if the leaf's load balancer gives several Services the same address, and another
// one has the gateway's port, so that the gateway would wait for an address.
func (e *End) CheckLoadBalancer(ctx context.Context, spec liqo.GatewayServer) error {
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

// ReplacesGatewayServer reports whether there is a gateway that can't be changed in place. This is so if its namespace,
// template or Secret changes, or if it is marked for deletion. It is also so if something is gone that Liqo created for
// it and does not create again.
//
// A missing or changed address is no reason: nodes come and go, and load balancers take their time.
func (e *End) ReplacesGatewayServer(ctx context.Context, namespace string, spec liqo.GatewayServer) (bool, error) {
	objects, err := e.Find(ctx)
	gateway := objects.GatewayAs(liqo.ServerRole)
	if err != nil || gateway == nil {
		return false, err
	}
	if replaces, err := e.replacesGateway(ctx, gateway, namespace, spec); err != nil || replaces {
		return replaces, err
	}
	return e.ServiceLost(ctx, objects)
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
