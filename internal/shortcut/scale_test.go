package shortcut

import (
	"fmt"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
)

// readingsOf returns this number of leaves and of networks between them. Each leaf has the same number of networks.
func readingsOf(leaves, networks int) []surveyedLeaf {
	surveyed := make([]surveyedLeaf, leaves)
	id := func(i int) string { return fmt.Sprintf("leaf-%05d", i%leaves) }
	for i := range surveyed {
		surveyed[i] = surveyedLeaf{Leaf: Leaf{Name: id(i), ClusterID: id(i)}, networks: map[string]liqo.Objects{}}
	}
	for i := range networks {
		client, server := i%leaves, (i+1+i/leaves)%leaves
		surveyed[client].networks[id(server)] = wholeClient(networkingv1beta1.Connected)
		surveyed[server].networks[id(client)] = wholeServer(networkingv1beta1.Connected)
	}
	return surveyed
}

func TestASurveyOfManyLeavesMissesNoNetwork(t *testing.T) {
	survey := newLeafIndex(readingsOf(1000, 5000)).survey()
	if len(survey.Leaves) != 1000 || len(survey.Links) != 5000 {
		t.Fatalf("%d leaves, %d networks", len(survey.Leaves), len(survey.Links))
	}
	for _, link := range survey.Links {
		if link.Status != Connected {
			t.Fatalf("%+v", link)
		}
	}
}

// The time is proportional to the number of networks, whatever the number of leaves.
func BenchmarkSurvey(b *testing.B) {
	for _, size := range []struct{ leaves, networks int }{{1000, 5000}, {2000, 10000}} {
		b.Run(fmt.Sprintf("leaves=%d,networks=%d", size.leaves, size.networks), func(b *testing.B) {
			surveyed := readingsOf(size.leaves, size.networks)
			b.ReportAllocs()
			for b.Loop() {
				if survey := newLeafIndex(surveyed).survey(); len(survey.Links) != size.networks {
					b.Fatalf("%d networks", len(survey.Links))
				}
			}
		})
	}
}

func BenchmarkStatus(b *testing.B) {
	for _, count := range []int{5000, 10000} {
		b.Run(fmt.Sprintf("shortcuts=%d", count), func(b *testing.B) {
			client, server := make([]liqo.Objects, count), make([]liqo.Objects, count)
			for i := range count {
				client[i], server[i] = wholeClient(networkingv1beta1.Connected), wholeServer(networkingv1beta1.Connected)
			}
			b.ReportAllocs()
			for b.Loop() {
				for i := range count {
					if (network{client: client[i], server: server[i]}).status() != Connected {
						b.Fatal("not connected")
					}
				}
			}
		})
	}
}
