package main

// pair is two leaves to join.
type pair struct {
	Client string `json:"client"`
	Server string `json:"server"`
}

func (p pair) String() string { return p.Client + "-" + p.Server }

// mesh has each two of the leaves once.
func mesh(leaves []string) []pair {
	var pairs []pair
	for i, client := range leaves {
		for _, server := range leaves[i+1:] {
			pairs = append(pairs, pair{client, server})
		}
	}
	return pairs
}

// cover has each leaf in a pair, and no more pairs than that needs.
func cover(leaves []string) []pair {
	var pairs []pair
	for i := 0; i < len(leaves); i += 2 {
		pairs = append(pairs, pair{leaves[i], leaves[(i+1)%len(leaves)]})
	}
	return pairs
}
