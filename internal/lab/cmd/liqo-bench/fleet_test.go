package main

import (
	"slices"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fleet"
)

func TestTheLeavesOfAFleetAreInAsManyPairs(t *testing.T) {
	leaves := []string{"a", "b", "c", "d", "e", "f"}
	for count, each := range map[int]int{3: 1, 6: 2, 15: 5} {
		seen, of := map[pair]bool{}, map[string]int{}
		for _, p := range rounds(leaves, count) {
			if seen[p] || seen[pair{p.Server, p.Client}] || p.Client == p.Server {
				t.Errorf("%d pairs: %s is not another pair", count, p)
			}
			seen[p] = true
			of[p.Client]++
			of[p.Server]++
		}
		for _, leaf := range leaves {
			if of[leaf] != each {
				t.Errorf("%d pairs: %s is in %d, not %d", count, leaf, of[leaf], each)
			}
		}
	}
}

func TestFleetsAreGivenByTheirLeavesAndShortcuts(t *testing.T) {
	got, err := parseFleets("10x45,100x1000")
	if err != nil || !slices.Equal(got, []figures.FleetSize{{Leaves: 10, Shortcuts: 45}, {Leaves: 100, Shortcuts: 1000}}) {
		t.Errorf("got %v (%v)", got, err)
	}
	for _, wrong := range []string{"", "10", "x45", "9x3", "10x46", "102x10", "10x0"} {
		if got, err := parseFleets(wrong); err == nil {
			t.Errorf("%q is taken as %v", wrong, got)
		}
	}
}

func TestTheLeafWithMostRequestsCounts(t *testing.T) {
	before := map[fleet.Request]int{{Leaf: "rome", Verb: "get", Resource: "pods"}: 5}
	after := map[fleet.Request]int{
		{Leaf: "rome", Verb: "get", Resource: "pods"}:     6,
		{Leaf: "milan", Verb: "get", Resource: "pods"}:    1,
		{Leaf: "milan", Verb: "watch", Resource: "pods"}:  1,
		{Leaf: "milan", Verb: "delete", Resource: "pods"}: 1,
	}
	if most := mostRequests(before, after, func(r fleet.Request) string { return r.Leaf }); most != 3 {
		t.Errorf("%d requests", most)
	}
}
