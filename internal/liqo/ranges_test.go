package liqo_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestALeafsRangesAreAskedForOnceAndAgainAfterAFailure(t *testing.T) {
	leaf := clustertest.Leaf(t, "rome", clustertest.Ranges("10.1.0.0/16", "10.2.0.0/16")...)
	var failure error = apierrors.NewServiceUnavailable("no endpoints")
	clustertest.On(leaf, "list", func(call clustertest.Call[any]) error {
		if failure != nil {
			return failure
		}
		return call.Send()
	})
	if ranges, err := liqo.RangesOf(t.Context(), leaf); !cluster.Unreachable(err) {
		t.Fatalf("got %+v (%v)", ranges, err)
	}
	failure = nil
	for range 2 {
		ranges, err := liqo.RangesOf(t.Context(), leaf)
		if err != nil || !slices.Equal(ranges.PodCIDRs, []string{"10.1.0.0/16"}) || ranges.ExternalCIDR != "10.2.0.0/16" {
			t.Errorf("got %+v (%v)", ranges, err)
		}
		failure = errors.New("asked again")
	}
}

func TestTheInternalCIDRMayBeMissing(t *testing.T) {
	for expected, more := range map[string][]client.Object{
		"": nil, "10.80.0.0/16": {clustertest.Range("internal-cidr", "10.80.0.0/16")},
	} {
		t.Run(expected, func(t *testing.T) {
			leaf := clustertest.Leaf(t, "rome", append(clustertest.Ranges("10.1.0.0/16", "10.2.0.0/16"), more...)...)
			if ranges, err := liqo.RangesOf(t.Context(), leaf); err != nil || ranges.InternalCIDR != expected {
				t.Errorf("got %+v (%v)", ranges, err)
			}
		})
	}
}

func TestALeafWithoutOneOfItsRangesIsAnError(t *testing.T) {
	for _, only := range []string{"pod-cidr", "external-cidr"} {
		t.Run(only, func(t *testing.T) {
			ranges, err := liqo.RangesOf(t.Context(), clustertest.Leaf(t, "rome", clustertest.Range(only, "10.1.0.0/16")))
			if err == nil || !strings.HasPrefix(err.Error(), `leaf "rome": the address ranges can't be read: `) {
				t.Errorf("got %+v (%v)", ranges, err)
			}
		})
	}
}
