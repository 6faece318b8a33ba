package end

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestARemovalWaitsForAllDependentsOfTheGateway(t *testing.T) {
	inNamespace := clustertest.GatewayServer("rome", 51840).ObjectMeta
	for expected, left := range map[string]client.Object{
		"Deployment liqo-tenant-rome/gw-rome":   clustertest.GatewayDeployment("rome"),
		"Service liqo-tenant-rome/gw-rome":      clustertest.GatewayService("rome"),
		"WgGatewayServer liqo-tenant-rome/rome": &networkingv1beta1.WgGatewayServer{ObjectMeta: inNamespace},
		"Secret liqo-tenant-rome/gw-rome":       keysOf("rome", nil),
	} {
		t.Run(expected, func(t *testing.T) {
			untilTimeIsUp(t, func(ctx context.Context, t *testing.T) {
				t.Helper()
				err := milansEnd(t, clustertest.WithServerKeys(exposedGateway()), left).RemoveGateways(ctx)
				if err == nil || !strings.Contains(err.Error(), "waiting for "+expected+" to be deleted") {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestAWaitForAGatewayEndsOnceTheLeafHasRefusedTwice(t *testing.T) {
	for name, test := range map[string]struct {
		passes bool // the refusal does
		ended  string
	}{
		"a refusal that stays":  {false, `A refusal was found while waiting for the tunnel to come up on "milan".`},
		"a refusal that passes": {true, `Time ran out while waiting for the tunnel to come up on "milan".`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // no controller runs here
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				refused := clustertest.GatewayDeployment("rome")
				refused.Status.Conditions = []appsv1.DeploymentCondition{{
					Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Message: "exceeded quota",
				}}
				milan := clustertest.Leaf(t, "milan", exposedGateway(), clustertest.GatewayService("rome"), refused)
				if test.passes {
					time.AfterFunc(firstLook+time.Second, func() { must(t, milan.Clients().Live.Delete(ctx, refused)) })
				}
				began := time.Now()
				err := endAt(milan, "rome").WaitForConnection(ctx)
				if detail := explain.Detail(err); !strings.HasPrefix(detail, test.ended) {
					t.Errorf("got:\n%s", detail)
				}
				if took := time.Since(began); !test.passes && (took > 10*time.Second ||
					explain.Summary(err) != `the gateway's pod is refused on leaf "milan"`) {
					t.Errorf("after %v: %v", took, err)
				}
			})
		})
	}
}

func TestDependentsOfAnInterruptedRemovalAreFound(t *testing.T) {
	madeFor := func(remote string) client.Object {
		gateway := clustertest.GatewayServer(remote, 51840)
		made := &networkingv1beta1.WgGatewayServer{ObjectMeta: gateway.ObjectMeta}
		made.Namespace, made.Spec.SecretRef.Name = "default", "my-keys"
		return made
	}
	found, _, err := milansEnd(t, madeFor("rome"), madeFor("turin")).orphans(t.Context())
	if err != nil || len(found) != 1 {
		t.Fatalf("got %v (%v)", found, err)
	}
	inDefault := func(name string) client.ObjectKey { return client.ObjectKey{Namespace: "default", Name: name} }
	if got := found[0]; got.name != inDefault("gw-rome") || got.technology.key != inDefault("rome") ||
		got.userSecret != liqo.KeySecret(inDefault("my-keys")) || got.keys != nil {
		t.Errorf("got %+v", got)
	}
}

func TestTheClientDialsTheServersEndpointUnlessTheSpecSetsAnother(t *testing.T) {
	said := liqo.Endpoint{Addresses: []string{"172.18.0.2", "172.18.0.3"}, Port: 31000, Protocol: "TCP"}
	for name, test := range map[string]struct {
		spec      liqo.GatewaySettings
		addresses []string
		port      int32
	}{
		"nothing":    {dialling("", 0), said.Addresses, 31000},
		"an address": {dialling("milan.example.com", 0), []string{"milan.example.com"}, 31000},
		"a port":     {dialling("", 41000), said.Addresses, 41000},
		"both":       {dialling("milan.example.com", 41000), []string{"milan.example.com"}, 41000},
	} {
		t.Run(name, func(t *testing.T) {
			rome := romesEnd(t)
			_, err := rome.EnsureGateway(t.Context(), "liqo-tenant-milan", said, test.spec)
			must(t, err)
			dialled := found(t, rome).Dialled()
			if !reflect.DeepEqual(dialled, &liqo.Endpoint{Addresses: test.addresses, Port: test.port, Protocol: "TCP"}) {
				t.Errorf("it dials %+v", dialled)
			}
		})
	}
}

// dialling is the settings of a client without what both gateways have.
func dialling(address string, port int32) liqo.GatewaySettings {
	return liqo.GatewaySettings{Role: liqo.ClientRole, ServerAddress: address, ServerPort: port}
}

// milansAddress is the endpoint that Milan's gateway reports.
var milansAddress = liqo.Endpoint{Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: "UDP"}

func TestAGatewayClientIsObservedInTermsOfItsSettings(t *testing.T) {
	tunnel := liqo.TunnelSettings{MTU: 1340}
	joined := func(settings liqo.GatewaySettings) liqo.GatewaySettings {
		settings.TunnelSettings = tunnel
		return settings
	}
	gateway := joined(dialling("172.18.0.2", 31000))
	gateway.Template = liqo.DefaultTemplate(liqo.ClientRole, "liqo")
	elsewhere := liqo.Endpoint{Addresses: []string{"9.9.9.9"}, Port: 9}
	for name, test := range map[string]struct {
		set      liqo.GatewaySettings
		server   *liqo.Endpoint
		expected liqo.GatewaySettings
	}{
		"all left to the server":        {dialling("", 0), &milansAddress, joined(dialling("", 0))},
		"to a server that does not say": {dialling("", 0), nil, joined(dialling("", 0))},
		"to a server elsewhere":         {dialling("", 0), &elsewhere, joined(dialling("172.18.0.2", 31000))},
		"an address as it was set":      {dialling("172.18.0.2", 0), &elsewhere, joined(dialling("172.18.0.2", 31000))},
		"another address than was set":  {dialling("9.9.9.9", 0), &milansAddress, joined(dialling("172.18.0.2", 0))},
		"another port than was set":     {dialling("", 9), nil, joined(dialling("", 31000))},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.set.Observed(gateway, test.server, "liqo"); !reflect.DeepEqual(got, test.expected) {
				t.Errorf("%+v, expected %+v", got, test.expected)
			}
		})
	}
}
