package main

import (
	"cmp"
	"maps"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
)

// requests has, for each number of shortcuts, the requests of a refresh to a cluster: the largest
// number if clusters differ.
type requests map[int]map[inspect.Request]int

// add takes the difference between two counts as the requests of one refresh of that many
// shortcuts.
func (r requests) add(shortcuts int, before, after map[inspect.Request]int) {
	if r[shortcuts] == nil {
		r[shortcuts] = map[inspect.Request]int{}
	}
	for request, count := range after {
		if more := count - before[request]; more > 0 {
			r[shortcuts][request] = max(r[shortcuts][request], more)
		}
	}
}

// most returns the number of requests to the cluster with the most requests.
func (r requests) most(shortcuts int) float64 {
	totals := map[string]int{}
	for request, count := range r[shortcuts] {
		totals[request.Cluster] += count
	}
	return float64(slices.Max(append(slices.Collect(maps.Values(totals)), 0)))
}

// kind is a kind of request, to any cluster.
type kind struct{ verb, resource string }

// largest returns, for each kind and each number of shortcuts, the largest count of any cluster.
func (r requests) largest() map[kind]map[int]int {
	counts := map[kind]map[int]int{}
	for shortcuts, asked := range r {
		for request, count := range asked {
			k := kind{request.Verb, request.Resource}
			if counts[k] == nil {
				counts[k] = map[int]int{}
				for n := range r {
					counts[k][n] = 0
				}
			}
			counts[k][shortcuts] = max(counts[k][shortcuts], count)
		}
	}
	return counts
}

// report returns the requests, beside what the API servers served at the same time.
func report(asked, served requests) []figures.Request {
	counts, servedCounts := asked.largest(), served.largest()
	list := make([]figures.Request, 0, len(counts))
	for k, c := range counts {
		request := figures.Request{Verb: k.verb, Resource: k.resource, Counts: c}
		if k.verb != "watch" { // it is served when it ends
			request.Served = servedCounts[k]
		}
		list = append(list, request)
	}
	slices.SortFunc(list, func(a, b figures.Request) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Verb, b.Verb))
	})
	return list
}
