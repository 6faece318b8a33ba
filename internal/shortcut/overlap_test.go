package shortcut

import (
	"errors"
	"strings"
	"testing"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// taken is a range that Rome's IPAM has given out, with these labels.
func taken(cidr string, labels map[string]string) *ipamv1alpha1.Network {
	return &ipamv1alpha1.Network{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "one", Labels: labels},
		Spec:       ipamv1alpha1.NetworkSpec{CIDR: "172.31.0.0/16"}, // as it was asked for
		Status:     ipamv1alpha1.NetworkStatus{CIDR: networkingv1beta1.CIDR(cidr)},
	}
}

func TestAnOverlapSaysWhatTheRangeIsFor(t *testing.T) {
	ofType := func(name string) map[string]string { return map[string]string{"ipam.liqo.io/network-type": name} }
	for expected, labels := range map[string]map[string]string{
		"the service CIDR":              ofType("service-cidr"),
		"the internal CIDR":             ofType("internal-cidr"),
		"a reserved range":              ofType("reserved"),
		"the range for cluster turin":   {"liqo.io/remote-cluster-id": "turin"},
		"the range of Network liqo/one": nil,
		"":                              {"liqo.io/remote-cluster-id": "milan"}, // what this shortcut itself has taken
	} {
		rome := clustertest.Leaf(t, "rome", append(ranges("10.0.0.0/16"), taken("10.203.128.0/17", labels))...)
		overlaps, err := New(rome, clustertest.Leaf(t, "milan", ranges("10.203.0.0/16")...)).Overlaps(t.Context(), EndSpec{}, EndSpec{})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, overlap := range overlaps {
			if overlap.At == "rome" && overlap.PodCIDR == "10.203.0.0/16" {
				said = append(said, overlap.By)
			}
		}
		if got := strings.Join(said, ", "); got != expected {
			t.Errorf("got %q, expected %q", got, expected)
		}
	}
}

func TestForbiddenRemappingIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	spec := overNodePort
	spec.ForbidRemapping = true
	for name, test := range map[string]struct {
		rome, milan string // pod CIDRs
		refused     bool
	}{
		"the same":  {"10.203.0.0/16", "10.203.0.0/16", true},
		"a part":    {"10.0.0.0/8", "10.203.0.0/16", true},
		"different": {"10.202.0.0/16", "10.203.0.0/16", false},
	} {
		s := New(clustertest.Leaf(t, "rome", ranges(test.rome)...), clustertest.Leaf(t, "milan", ranges(test.milan)...)).OwnedBy(me)
		if err := s.connectUntilTaken(t, spec); errors.Is(err, errRemapped) != test.refused {
			t.Errorf("%s: %v", name, err)
		} else if test.refused && (!strings.HasPrefix(explain.Summary(err), "remapping is forbidden, and needed on leaf ") ||
			!strings.Contains(explain.Detail(err), " overlaps with ") || !strings.Contains(explain.Detail(err), "No gateway was made.")) {
			t.Errorf("%s: got %q:\n%s", name, explain.Summary(err), explain.Detail(err))
		}
		if state, err := s.Observe(t.Context(), false); err != nil || state.Joined == test.refused {
			t.Errorf("%s: something was written: %t (%v)", name, state.Joined, err)
		}
	}
}
