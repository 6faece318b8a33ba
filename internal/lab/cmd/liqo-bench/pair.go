package main

// pair is two leaves to join.
type pair struct {
	Client string `json:"client"`
	Server string `json:"server"`
}

func (p pair) String() string { return p.Client + "-" + p.Server }

// mesh returns each pair of the leaves once.
func mesh(leaves []string) []pair {
	var pairs []pair
	for i, client := range leaves {
		for _, server := range leaves[i+1:] {
			pairs = append(pairs, pair{client, server})
		}
	}
	return pairs
}

// cover returns the smallest number of pairs such that each leaf is in one.
func cover(leaves []string) []pair {
	var pairs []pair
	for i := 0; i < len(leaves); i += 2 {
		pairs = append(pairs, pair{leaves[i], leaves[(i+1)%len(leaves)]})
	}
	return pairs
}
