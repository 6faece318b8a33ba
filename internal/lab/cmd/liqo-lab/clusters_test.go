package main

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

// standard is a cluster that requests nothing.
var standard = kube.Spec{
	ExternalCIDR: defaultExternalCIDR, ServiceCIDR: defaultServiceCIDR, NodeCount: 1, Kubernetes: "v1.35.4",
	Liqo: binaries.LiqoRelease{Version: "v1.2.0"},
}

func TestAClusterIsDescribedInOneWord(t *testing.T) {
	external, service := netip.MustParsePrefix("10.70.0.0/16"), netip.MustParsePrefix("10.96.0.0/16")
	pods := netip.MustParsePrefix("10.202.0.0/16")
	for value, want := range map[string]kube.Spec{
		"rome=10.202.0.0/16": {
			Name: "rome", PodCIDR: pods, ExternalCIDR: external, ServiceCIDR: service, Kubernetes: "v1.35.4",
			Liqo: binaries.LiqoRelease{Version: "v1.2.0"}, NodeCount: 1,
		},
		"rome=10.202.0.0/16,no-liqo": {
			Name: "rome", PodCIDR: pods, ExternalCIDR: external, ServiceCIDR: service, Kubernetes: "v1.35.4", NodeCount: 1,
		},
		"rome=10.202.0.0/16,liqo=v1.1.2,kubernetes=v1.36.3": {
			Name: "rome", PodCIDR: pods, ExternalCIDR: external, ServiceCIDR: service, Kubernetes: "v1.36.3",
			Liqo: binaries.LiqoRelease{Version: "v1.1.2"}, NodeCount: 1,
		},
		"rome=10.202.0.0/16,nodes=3": {
			Name: "rome", PodCIDR: pods, ExternalCIDR: external, ServiceCIDR: service, Kubernetes: "v1.35.4",
			Liqo: binaries.LiqoRelease{Version: "v1.2.0"}, NodeCount: 3,
		},
		"rome=10.202.0.0/16,external=10.71.0.0/16,service=10.97.0.0/16": {
			Name: "rome", PodCIDR: pods, Kubernetes: "v1.35.4", NodeCount: 1, Liqo: binaries.LiqoRelease{Version: "v1.2.0"},
			ExternalCIDR: netip.MustParsePrefix("10.71.0.0/16"), ServiceCIDR: netip.MustParsePrefix("10.97.0.0/16"),
		},
	} {
		got, err := parseCluster(t.Context(), value, standard)
		if err != nil {
			t.Errorf("%s: %v", value, err)
		}
		if got != want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", value, got, want)
		}
	}
}

func TestAWrongClusterIsRefusedWithTheReason(t *testing.T) {
	for _, test := range []struct {
		values []string
		reason string
	}{
		{[]string{"rome"}, "no '/'"},
		{[]string{"Rome=10.202.0.0/16"}, "lower case"},
		{[]string{"rome=10.202.0.0/16,fast"}, `unknown option "fast"`},
		{[]string{"rome=10.202.0.0/16,liqo=1.1"}, `"1.1" is not a version of Liqo`},
		{[]string{"rome=10.202.0.0/16,kubernetes=v1.20.0"}, `"v1.20.0" is not a version of Kubernetes`},
		{[]string{"rome=10.202.0.0/16,nodes=two"}, `parsing "two"`},
		{[]string{"rome=10.202.0.0/16,nodes=5"}, "cluster rome: a cluster has 1 to 4 nodes, not 5"},
		{[]string{"rome=10.202.0.0/16,nodes=0"}, "not 0"},
		{[]string{"rome=10.202.0.1/16"}, "not an IPv4 network"},
		{[]string{"rome=fd00::/64"}, "not an IPv4 network"},
		{[]string{"rome=10.202.0.0/16", "rome=10.203.0.0/16"}, `two clusters are named "rome"`},
	} {
		_, err := parseClusters(t.Context(), test.values, standard)
		if err == nil || !strings.Contains(err.Error(), test.reason) {
			t.Errorf("%v: the error is %v, but should mention %q", test.values, err, test.reason)
		}
	}
}

func TestWithoutClustersThereAreThreeWithDifferentPodNetworks(t *testing.T) {
	clusters, err := parseClusters(t.Context(), nil, standard)
	if err != nil {
		t.Fatal(err)
	}
	pods := map[netip.Prefix]bool{}
	for _, c := range clusters {
		pods[c.PodCIDR] = true
	}
	if len(clusters) != 3 || len(pods) != 3 {
		t.Errorf("got %+v", clusters)
	}
}

func TestADetachedLabIsAsTheCommandThatStartsIt(t *testing.T) {
	given := []string{
		"--cluster=rome=10.202.0.0/16", "--cluster", "milan=10.203.0.0/16", "--peer=rome=milan", "--peerable", "--metrics",
		"--dataplane=real",
	}
	var desired, detached up
	for u, args := range map[*up][]string{
		&desired:  append([]string{"--background", "--json"}, given...),
		&detached: inBackground(append([]string{"--detach"}, given...)),
	} {
		command := u.command()
		if err := command.ParseFlags(args); err != nil {
			t.Fatal(err)
		}
		if err := command.ValidateFlagGroups(); err != nil {
			t.Error(err)
		}
	}
	if !reflect.DeepEqual(detached, desired) {
		t.Errorf("%+v is not %+v", detached, desired)
	}
}
