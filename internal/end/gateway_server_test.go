package end

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestAnExistingGatewayOfAnotherNameIsChangedInPlace(t *testing.T) {
	server, dials := ours(clustertest.GatewayServer("rome", 51840)), ours(clustertest.GatewayClient("milan"))
	server.Name, dials.Name = "of-another-name", "of-another-name"
	listens, dialled := overNodePort(), dialling("", 0)
	listens.MTU, dialled.MTU = 1400, 1400
	for _, test := range []struct {
		at       *End
		settings liqo.GatewaySettings
	}{{milansEnd(t, server), listens}, {romesEnd(t, dials), dialled}} {
		_, err := test.at.EnsureGateway(t.Context(), "liqo-tenant-"+test.at.Remote.Name, milansAddress, test.settings)
		must(t, err)
		if objects := found(t, test.at); len(objects.Made()) != 1 || len(objects.Extra) != 0 ||
			objects.TunnelSettings().MTU != 1400 {
			t.Errorf("%s has %d objects and %d more, with an MTU of %d", test.at.Leaf.Name, len(objects.Made()),
				len(objects.Extra), objects.TunnelSettings().MTU)
		}
	}
}

func TestAGatewayIsReplacedOnlyForWhatCannotChangeInPlaceOrIsLost(t *testing.T) {
	service, deployment := clustertest.GatewayService("rome"), clustertest.GatewayDeployment("rome")
	handled := clustertest.WireGuard(clustertest.GatewayServer("rome", 51840))
	unaddressed := clustertest.WithoutAddress(handled.DeepCopy())
	listens, dials := clustertest.GatewayServer("rome", 51840), clustertest.GatewayClient("milan")
	tunnel := clustertest.Connection("rome", networkingv1beta1.Connected)
	asItIs := func(*liqo.GatewaySettings) {}
	labelled := func(g *liqo.GatewaySettings) { g.ServiceLabels = map[string]string{"a": "b"} }
	for name, test := range map[string]struct {
		gateway  client.Object
		made     []client.Object // by Liqo
		change   func(*liqo.GatewaySettings)
		replaces bool
	}{
		"nothing":         {listens, nil, asItIs, false},
		"the MTU":         {listens, nil, func(g *liqo.GatewaySettings) { g.MTU = 1400 }, false},
		"the port":        {listens, nil, func(g *liqo.GatewaySettings) { g.Port = 1 }, false},
		"a label":         {listens, nil, labelled, false},
		"the Secret":      {listens, nil, func(g *liqo.GatewaySettings) { g.KeySecret = "my-keys" }, true},
		"the template":    {listens, nil, func(g *liqo.GatewaySettings) { g.Template.Name = "large" }, true},
		"Liqo's, by name": {listens, nil, func(g *liqo.GatewaySettings) { g.Template.Name = "wireguard-server" }, false},

		"no address for a moment":            {unaddressed, []client.Object{deployment, service}, asItIs, false},
		"no Service any more":                {handled, []client.Object{deployment}, asItIs, true},
		"no Service while the tunnel is up":  {handled, []client.Object{deployment, tunnel}, asItIs, false},
		"a Service that was never made":      {unaddressed, []client.Object{deployment}, asItIs, true},
		"neither Deployment nor Service yet": {unaddressed, nil, asItIs, false},
		"no keys any more":                   {clustertest.WithServerKeys(listens.DeepCopy()), nil, asItIs, true},

		"nothing that dials":    {dials, nil, asItIs, false},
		"the address to dial":   {dials, nil, func(g *liqo.GatewaySettings) { g.ServerAddress = "9.9.9.9" }, false},
		"the MTU of a client":   {dials, nil, func(g *liqo.GatewaySettings) { g.MTU = 1400 }, false},
		"a client's template":   {dials, nil, func(g *liqo.GatewaySettings) { g.Template.Name = "large" }, true},
		"no keys of the client": {clustertest.WithClientKeys(dials.DeepCopy()), nil, asItIs, true},
	} {
		t.Run(name, func(t *testing.T) {
			e, settings := milansEnd, overNodePort()
			if _, client := test.gateway.(*networkingv1beta1.GatewayClient); client {
				e, settings = romesEnd, dialling("", 0)
			}
			test.change(&settings)
			replaces, err := e(t, append(test.made, ours(test.gateway))...).
				ReplacesGateway(t.Context(), test.gateway.GetNamespace(), settings)
			if err != nil || replaces != test.replaces {
				t.Errorf("replaces: %t (%v)", replaces, err)
			}
		})
	}
}

func TestAnEndpointIsKnownOnceItHasAnAddressAndAPort(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*networkingv1beta1.GatewayServer)
		known  bool
	}{
		"both":             {func(*networkingv1beta1.GatewayServer) {}, true},
		"nothing":          {func(g *networkingv1beta1.GatewayServer) { g.Status.Endpoint = nil }, false},
		"no port":          {func(g *networkingv1beta1.GatewayServer) { g.Status.Endpoint.Port = 0 }, false},
		"no address":       {func(g *networkingv1beta1.GatewayServer) { g.Status.Endpoint.Addresses = nil }, false},
		"an empty address": {func(g *networkingv1beta1.GatewayServer) { clustertest.WithoutAddress(g) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			gateway := clustertest.GatewayServer("rome", 51840)
			test.change(gateway)
			if endpoint := (liqo.Objects{Gateway: liqo.GatewayOf(gateway)}).Endpoint(); (endpoint != nil) != test.known {
				t.Errorf("%+v", endpoint)
			}
		})
	}
}

func TestLiqoBefore12CannotDescribeAService(t *testing.T) {
	described, newer, older := overNodePort(), milansEnd(t), milansEnd(t)
	described.ServiceLabels = map[string]string{"team": "network"}
	clustertest.OlderLiqo(older.Leaf)
	for name, test := range map[string]struct {
		spec    liqo.GatewaySettings
		milan   *End
		refused bool
	}{
		"a label, Liqo 1.2": {described, newer, false},
		"nothing, Liqo 1.1": {overNodePort(), older, false},
		"a label, Liqo 1.1": {described, older, true},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.milan.CheckAgain(t.Context(), following(test.spec))
			if (err != nil) != test.refused ||
				err != nil && !strings.Contains(err.Error(), "Remove `service_annotations` and `service_labels`") {
				t.Errorf("it says %v", err)
			}
		})
	}
}

func TestTheAddressOfANodePortIsThatOfTheActivePodsNodeAfterARollout(t *testing.T) {
	reportedAt := func(gateway *networkingv1beta1.GatewayServer, node, pod string) *networkingv1beta1.GatewayServer {
		gateway = gateway.DeepCopy()
		gateway.Status.Endpoint.Addresses = []string{node}
		gateway.Status.InternalEndpoint = &networkingv1beta1.InternalGatewayEndpoint{IP: new(networkingv1beta1.IP(pod))}
		return gateway
	}
	former := reportedAt(ours(clustertest.GatewayServer("rome", 51840)), "172.18.0.3", "10.0.0.7")
	service := clustertest.GatewayService("rome")
	service.Spec.Ports = []corev1.ServicePort{{NodePort: former.Status.Endpoint.Port}}
	for name, test := range map[string]struct {
		pods  []client.Object
		rolls bool
		waits bool
	}{
		"it does not restart":                    {[]client.Object{activePod("10.0.0.8")}, false, false},
		"another pod is active":                  {[]client.Object{activePod("10.0.0.8")}, true, true},
		"no pod is active":                       {[]client.Object{gatewayPod("new", "one")}, true, true},
		"the same pod is active":                 {[]client.Object{activePod("10.0.0.7")}, true, false},
		"its pods are not those of a Deployment": {nil, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				milan := milansEnd(t, append(test.pods, former.DeepCopy())...)
				ensured := EnsuredGateway{Object: former, Rolls: test.rolls, service: service}
				ended := make(chan liqo.Endpoint)
				go func() {
					endpoint, err := milan.WaitForEndpoint(t.Context(), ensured)
					if err != nil {
						t.Error(err)
					}
					ended <- endpoint
				}()
				synctest.Wait()
				expected := "172.18.0.3"
				if test.waits {
					expected = "172.18.1.3"
					for _, pod := range test.pods {
						must(t, milan.Leaf.Clients().Live.Delete(t.Context(), pod))
					}
					must(t, milan.Leaf.Clients().Live.Create(t.Context(), activePod("10.0.0.8")))
					moved := reportedAt(former, expected, "10.0.0.8")
					must(t, milan.Leaf.Clients().Live.Status().Patch(t.Context(), moved, client.MergeFrom(former)))
				}
				if endpoint := <-ended; endpoint.Addresses[0] != expected {
					t.Errorf("got %v, expected %s", endpoint, expected)
				}
			})
		})
	}
}

func TestANodePortOfAnotherServiceIsFoundByADryRun(t *testing.T) {
	taken := apierrors.NewInvalid(schema.GroupKind{Kind: "Service"}, "gw-rome", field.ErrorList{
		field.Invalid(field.NewPath("spec", "ports").Index(0).Child("nodePort"), 31000, "provided port is already allocated"),
	})
	another := clustertest.GatewayServer("turin", 51840)
	another.Spec.Endpoint.NodePort = new(int32(31000))
	for name, test := range map[string]struct {
		port    int32
		answer  error
		objects []client.Object
		refused bool
	}{
		"taken":   {31000, taken, nil, true},
		"free":    {31000, nil, nil, false},
		"not set": {0, taken, nil, false},
		"no permission to ask": {
			31000, apierrors.NewForbidden(schema.GroupResource{Resource: "services"}, "", errors.New("no")), nil, false,
		},
		"that of a gateway here": {31000, taken, []client.Object{another}, false},
	} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t, test.objects...)
			clustertest.On(milan.Leaf, "create", func(call clustertest.Call[*corev1.Service]) error {
				if call.Object.Spec.Ports[0].NodePort != test.port || !call.DryRun {
					t.Errorf("it creates %+v", call.Object)
				}
				return test.answer
			})
			server := liqo.GatewaySettings{Role: liqo.ServerRole, NodePort: test.port}
			err := milan.checkNodePort(t.Context(), server)
			if (err != nil) != test.refused ||
				test.refused && !strings.Contains(explain.Detail(err), "provided port is already allocated") {
				t.Errorf("got: %v", err)
			}
		})
	}
}

func TestAPortOfALoadBalancerThatSharesItsAddressIsTakenByAnotherService(t *testing.T) {
	balanced := func(name, address string, port int32) *corev1.Service {
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
		service.Spec.Type = corev1.ServiceTypeLoadBalancer
		service.Spec.Ports = []corev1.ServicePort{{Port: port, Protocol: corev1.ProtocolUDP}}
		service.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: address}}
		return service
	}
	web := balanced("web", "192.0.2.1", 443)
	const balancer = corev1.ServiceTypeLoadBalancer
	for name, test := range map[string]struct {
		kind    corev1.ServiceType
		objects []client.Object
		taken   bool
	}{
		"taken":            {balancer, []client.Object{web, balanced("game", "192.0.2.1", 51840)}, true},
		"another address":  {balancer, []client.Object{web, balanced("game", "192.0.2.2", 51840)}, false},
		"another port":     {balancer, []client.Object{web, balanced("game", "192.0.2.1", 51841)}, false},
		"its own":          {balancer, []client.Object{web, balanced("gw-rome", "192.0.2.1", 51840)}, false},
		"no load balancer": {corev1.ServiceTypeNodePort, []client.Object{web, balanced("game", "192.0.2.1", 51840)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := liqo.GatewaySettings{Role: liqo.ServerRole, ServiceType: test.kind, Port: 51840}
			err := milansEnd(t, test.objects...).checkLoadBalancer(t.Context(), server)
			if (err != nil) != test.taken || test.taken && !strings.Contains(explain.Detail(err), "Service default/game") {
				t.Errorf("got: %v", err)
			}
		})
	}
}
