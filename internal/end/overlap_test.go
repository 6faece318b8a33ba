package end

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// taken is a range that Rome's IPAM has given out, with these labels.
func taken(cidr string, labels map[string]string) *ipamv1alpha1.Network {
	return &ipamv1alpha1.Network{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "one", Labels: labels},
		Spec:       ipamv1alpha1.NetworkSpec{CIDR: "172.31.0.0/16"}, // as it was asked for
		Status:     ipamv1alpha1.NetworkStatus{CIDR: networkingv1beta1.CIDR(cidr)},
	}
}

func TestAnOverlapNamesTheUseOfTheRange(t *testing.T) {
	ofType := func(name string) map[string]string { return map[string]string{"ipam.liqo.io/network-type": name} }
	for expected, labels := range map[string]map[string]string{
		"the pod CIDR":                  ofType("pod-cidr"),
		"the external CIDR":             ofType("external-cidr"),
		"the service CIDR":              ofType("service-cidr"),
		"the internal CIDR":             ofType("internal-cidr"),
		"a reserved range":              ofType("reserved"),
		"the range for cluster turin":   {"liqo.io/remote-cluster-id": "turin"},
		"the range of Network liqo/one": nil,
		"":                              {"liqo.io/remote-cluster-id": "milan"}, // what this shortcut itself has taken
	} {
		t.Run(expected, func(t *testing.T) {
			rome := clustertest.Leaf(t, "rome", append(ranges(), taken("10.203.128.0/17", labels))...)
			overlaps, err := endAt(rome, "milan").Overlaps(t.Context(),
				liqo.Ranges{PodCIDRs: []string{"10.203.0.0/16"}})
			must(t, err)
			var said []string
			for _, overlap := range overlaps {
				said = append(said, overlap.Use)
			}
			if got := strings.Join(said, ", "); got != expected {
				t.Errorf("got %q, expected %q", got, expected)
			}
		})
	}
}

func TestARangeOutsideThePoolsIsRemappedWhateverIsTaken(t *testing.T) {
	server := milansEnd(t)
	pools := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.168.0.0/16")}
	for cidr, outside := range map[string]bool{
		"10.1.0.0/16": false, "192.168.0.0/16": false, "100.64.0.0/16": true, "192.0.0.0/8": true,
	} {
		t.Run(cidr, func(t *testing.T) {
			overlaps := server.overlapsWith(nil, pools, liqo.Ranges{PodCIDRs: []string{cidr}})
			if (len(overlaps) == 1) != outside {
				t.Errorf("got %v", overlaps)
			}
			if outside && !strings.Contains(overlaps[0].String(),
				cidr+` of "rome" is outside the ranges that Liqo on "milan" gives out, 10.0.0.0/8 and 192.168.0.0/16:`) {
				t.Errorf("it says: %s", overlaps[0])
			}
			if overlaps := server.overlapsWith(nil, nil, liqo.Ranges{PodCIDRs: []string{cidr}}); len(overlaps) > 0 {
				t.Errorf("with pools that nobody knows: got %v", overlaps)
			}
		})
	}
}

func TestARangeOfTheOwnersOtherShortcutCountsAsFree(t *testing.T) {
	configuration := clustertest.Configuration("turin")
	owner.Owner{Token: "mine"}.Mark(configuration)
	turins := taken("10.9.0.0/16", map[string]string{"liqo.io/remote-cluster-id": "turin"})
	turins.Namespace = configuration.Namespace
	rome := clustertest.Leaf(t, "rome", configuration, turins)
	for token, expected := range map[string]int{"mine": 0, "another's": 1} {
		t.Run(token, func(t *testing.T) {
			e := endAt(rome, "milan")
			e.Owner.Token = token
			if overlaps, err := e.Overlaps(t.Context(), liqo.Ranges{PodCIDRs: []string{"10.9.0.0/16"}}); err != nil ||
				len(overlaps) != expected {
				t.Errorf("got %v (%v)", overlaps, err)
			}
		})
	}
}

// The time of a prediction is proportional to the number of taken ranges on the leaf: two for each cluster that it is
// joined with.
func BenchmarkOverlaps(b *testing.B) {
	for _, count := range []int{1000, 2000} {
		b.Run(fmt.Sprintf("taken=%d", count), func(b *testing.B) {
			all := make([]ipamv1alpha1.Network, count)
			for i := range all {
				all[i] = *taken(fmt.Sprintf("10.%d.%d.0/24", i/256, i%256),
					map[string]string{"liqo.io/remote-cluster-id": fmt.Sprint(i)})
			}
			rome := romesEnd(b)
			other := liqo.Ranges{PodCIDRs: []string{"10.0.7.0/24"}}
			b.ReportAllocs()
			for b.Loop() {
				if overlaps := rome.overlapsWith(all, nil, other); len(overlaps) != 1 {
					b.Fatalf("%d overlaps", len(overlaps))
				}
			}
		})
	}
}
