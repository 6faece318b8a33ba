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

// rounds returns pairs of leaves such that the number of pairs is nearly the same for each leaf: as in a tournament,
// each leaf is in one pair of each round, and no pair is in two. The number of leaves is even.
func rounds(leaves []string, pairs int) []pair {
	var played []pair
	last := len(leaves) - 1 // it stays where it is, and the others go round
	for round := 0; len(played) < pairs; round++ {
		for i := range len(leaves) / 2 {
			one, other := leaves[(round+i)%last], leaves[(round-i+last)%last]
			if i == 0 {
				other = leaves[last]
			}
			played = append(played, pair{one, other})
		}
	}
	return played[:pairs]
}
