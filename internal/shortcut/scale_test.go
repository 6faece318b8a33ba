package shortcut

import (
	"fmt"
	"testing"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// readingsOf are so many leaves and so many networks between them, each leaf with as many as any other.
func readingsOf(leaves, networks int) []reading {
	readings := make([]reading, leaves)
	id := func(i int) string { return fmt.Sprintf("leaf-%05d", i%leaves) }
	for i := range readings {
		readings[i] = reading{Leaf: Leaf{Name: id(i), ClusterID: id(i)}, networks: map[string]objects{}}
	}
	for i := range networks {
		client, server := i%leaves, (i+1+i/leaves)%leaves
		readings[client].networks[id(server)] = whole(asClient, networkingv1beta1.Connected)
		readings[server].networks[id(client)] = whole(asServer, networkingv1beta1.Connected)
	}
	return readings
}

func TestASurveyOfManyLeavesMissesNoNetwork(t *testing.T) {
	survey := newAtlas(readingsOf(1000, 5000)).survey()
	if len(survey.Leaves) != 1000 || len(survey.Networks) != 5000 {
		t.Fatalf("%d leaves, %d networks", len(survey.Leaves), len(survey.Networks))
	}
	for _, link := range survey.Networks {
		if link.Status != Connected {
			t.Fatalf("%+v", link)
		}
	}
}

// Twice as many networks take twice as long, whatever the number of leaves.
func BenchmarkSurvey(b *testing.B) {
	for _, size := range []struct{ leaves, networks int }{{1000, 5000}, {2000, 10000}} {
		b.Run(fmt.Sprintf("leaves=%d,networks=%d", size.leaves, size.networks), func(b *testing.B) {
			readings := readingsOf(size.leaves, size.networks)
			b.ReportAllocs()
			for b.Loop() {
				if survey := newAtlas(readings).survey(); len(survey.Networks) != size.networks {
					b.Fatalf("%d networks", len(survey.Networks))
				}
			}
		})
	}
}

func BenchmarkStatus(b *testing.B) {
	for _, count := range []int{5000, 10000} {
		b.Run(fmt.Sprintf("shortcuts=%d", count), func(b *testing.B) {
			client, server := make([]objects, count), make([]objects, count)
			for i := range count {
				client[i], server[i] = whole(asClient, networkingv1beta1.Connected), whole(asServer, networkingv1beta1.Connected)
			}
			b.ReportAllocs()
			for b.Loop() {
				for i := range count {
					if (network{client[i], server[i]}).status(false) != Connected {
						b.Fatal("not connected")
					}
				}
			}
		})
	}
}

// Predicting takes time in proportion to the ranges that are taken on the leaf: two for each cluster that it is joined with.
func BenchmarkOverlaps(b *testing.B) {
	for _, count := range []int{1000, 2000} {
		b.Run(fmt.Sprintf("taken=%d", count), func(b *testing.B) {
			taken := make([]ipamv1alpha1.Network, count)
			for i := range taken {
				taken[i] = ipamv1alpha1.Network{
					ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("network-%d", i), Labels: map[string]string{"liqo.io/remote-cluster-id": fmt.Sprint(i)}},
					Status:     ipamv1alpha1.NetworkStatus{CIDR: networkingv1beta1.CIDR(fmt.Sprintf("10.%d.%d.0/24", i/256, i%256))},
				}
			}
			side := New(clustertest.Leaf(b, "rome"), clustertest.Leaf(b, "milan")).client
			other := cluster.Networks{PodCIDRs: []string{"10.0.7.0/24"}}
			b.ReportAllocs()
			for b.Loop() {
				if overlaps := side.overlapsWith(taken, nil, other); len(overlaps) != 1 {
					b.Fatalf("%d overlaps", len(overlaps))
				}
			}
		})
	}
}
