package acceptance

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// network is the expected value of `client_network` or `server_network`.
type network struct {
	pod, external                 string
	remappedPod, remappedExternal string
}

func (n network) value() knownvalue.Check {
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"pod_cidrs":              knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(n.pod)}),
		"external_cidr":          knownvalue.StringExact(n.external),
		"remapped_pod_cidrs":     knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(n.remappedPod)}),
		"remapped_external_cidr": knownvalue.StringExact(n.remappedExternal),
	})
}

// asLiqoSays checks that the networks of a shortcut have the values of Liqo's own Configurations. Each is on the other
// leaf.
func (l *Lab) asLiqoSays(t *testing.T, address, clientName, serverName string) statecheck.StateCheck {
	t.Helper()
	return stateCheck(func(ctx context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
		for attribute, view := range map[string]struct{ at, of string }{
			"client_network": {at: serverName, of: clientName},
			"server_network": {at: clientName, of: serverName},
		} {
			expected := l.configuredAt(ctx, t, view.at, view.of)
			statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), expected.value()).CheckState(ctx, req, resp)
			if resp.Error != nil {
				return
			}
		}
	})
}

type stateCheck func(context.Context, statecheck.CheckStateRequest, *statecheck.CheckStateResponse)

func (f stateCheck) CheckState(
	ctx context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse,
) {
	f(ctx, req, resp)
}

// configuredAt returns the content of one cluster's Configuration of another cluster.
func (l *Lab) configuredAt(ctx context.Context, t *testing.T, at, of string) network {
	t.Helper()
	var list networkingv1beta1.ConfigurationList
	err := l.client(t, at).List(ctx, &list, client.MatchingLabels{consts.RemoteClusterID: l.cluster(t, of).ClusterID})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 || list.Items[0].Status.Remote == nil {
		t.Fatalf("%s has no Configuration of %s that Liqo has processed", at, of)
	}
	spec, status := list.Items[0].Spec.Remote.CIDR, list.Items[0].Status.Remote.CIDR
	return network{
		pod: spec.Pod[0].String(), external: spec.External[0].String(),
		remappedPod: status.Pod[0].String(), remappedExternal: status.External[0].String(),
	}
}

// remapped checks that a leaf's only pod CIDR is remapped.
func remapped(address, attribute, podCIDR string) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(
		address, tfjsonpath.New(attribute).AtMapKey("remapped_pod_cidrs").AtSliceIndex(0), different(podCIDR),
	)
}

// keepsPodCIDR checks that a leaf's only pod CIDR is not remapped.
func keepsPodCIDR(address, attribute, podCIDR string) statecheck.StateCheck {
	expected := knownvalue.ObjectPartial(map[string]knownvalue.Check{
		"pod_cidrs":          knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(podCIDR)}),
		"remapped_pod_cidrs": knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(podCIDR)}),
	})
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), expected)
}

// externalCIDRIsRemapped checks that a leaf's external CIDR is remapped, because all clusters of the lab have the same.
func externalCIDRIsRemapped(address, attribute string) statecheck.StateCheck {
	expected := knownvalue.ObjectPartial(map[string]knownvalue.Check{
		"external_cidr":          knownvalue.StringExact("10.70.0.0/16"),
		"remapped_external_cidr": different("10.70.0.0/16"),
	})
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), expected)
}

func different(from string) knownvalue.Check {
	return knownvalue.StringFunc(func(value string) error {
		if value == from {
			return fmt.Errorf("got %s, expected another value", value)
		}
		_, err := netip.ParsePrefix(value)
		return err
	})
}

func nodePort() knownvalue.Check {
	return knownvalue.Int32Func(func(port int32) error {
		if port < 30000 || port > 32767 {
			return fmt.Errorf("%d is not a node port", port)
		}
		return nil
	})
}

// nodeAddress returns the address of a cluster's only node.
func (l *Lab) nodeAddress(t *testing.T, name string) string {
	t.Helper()
	var nodes corev1.NodeList
	if err := l.client(t, name).List(t.Context(), &nodes); err != nil {
		t.Fatal(err)
	}
	for _, address := range nodes.Items[0].Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			return address.Address
		}
	}
	t.Fatalf("the node of %s has no address", name)
	return ""
}

// gatewaysHaveMTU checks the MTU of the gateways of Rome and Milan themselves.
func (l *Lab) gatewaysHaveMTU(t *testing.T, mtu int) statecheck.StateCheck {
	t.Helper()
	return stateCheck(func(ctx context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
		var all []int
		for _, cluster := range []string{"rome", "milan"} {
			var clients networkingv1beta1.GatewayClientList
			var servers networkingv1beta1.GatewayServerList
			resp.Error = errors.Join(l.client(t, cluster).List(ctx, &clients), l.client(t, cluster).List(ctx, &servers))
			if resp.Error != nil {
				return
			}
			for i := range clients.Items {
				all = append(all, clients.Items[i].Spec.MTU)
			}
			for i := range servers.Items {
				all = append(all, servers.Items[i].Spec.MTU)
			}
		}
		if !slices.Equal(all, []int{mtu, mtu}) {
			resp.Error = fmt.Errorf("the gateways have the MTUs %v, not both %d", all, mtu)
		}
	})
}
