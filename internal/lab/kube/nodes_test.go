package kube

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
)

func TestNoTwoNodesOfALabHaveTheSameAddress(t *testing.T) {
	owners := map[netip.Addr]string{netip.MustParseAddr("172.18.254.1"): "the NAT"}
	own := func(address netip.Addr, owner string) {
		if other := owners[address]; other != "" {
			t.Errorf("%s is the address of %s and of %s", address, other, owner)
		}
		owners[address] = owner
	}
	balancers := map[netip.Prefix]bool{}
	for number := range MostClusters {
		c, err := New(Options{Spec: Spec{NodeCount: MostNodes}, Number: number, Data: t.TempDir(), Logs: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		for i, node := range c.Nodes() {
			own(node.IP, fmt.Sprintf("node %d of cluster %d", i, number))
			own(node.NATIP, fmt.Sprintf("node %d of cluster %d behind the NAT", i, number))
		}
		first, err := c.balancerIPs.Take()
		if err != nil {
			t.Fatal(err)
		}
		balancers[netip.PrefixFrom(first, 24).Masked()] = true
	}
	for address, owner := range owners {
		if balancers[netip.PrefixFrom(address, 24).Masked()] {
			t.Errorf("%s of %s is among the addresses of load balancers", address, owner)
		}
	}
}

func TestTheFirstNodeIsNamedAsIfItWereTheOnlyOne(t *testing.T) {
	c := &Cluster{Options: Options{Spec: Spec{Name: "rome", NodeCount: 3}}}
	var names, fabrics []string
	for _, node := range c.Nodes() {
		names, fabrics = append(names, node.Name), append(fabrics, node.Fabric)
	}
	if want := []string{"rome-node", "rome-node-2", "rome-node-3"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	if want := []string{"liqo-fabric", "liqo-fabric-2", "liqo-fabric-3"}; !slices.Equal(fabrics, want) {
		t.Errorf("got %v, want %v", fabrics, want)
	}
}
