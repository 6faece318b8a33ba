package shortcut

// Maker is who made a network.
type Maker string

// The values of [Maker]. A network that nothing is left of has none: the empty value.
const (
	// ByProvider means that every object of the network carries this provider's label, because it made or adopted them all.
	ByProvider Maker = ManagedBy
	// ByPeering means that the two clusters are peered, and that the network is not this provider's alone.
	ByPeering Maker = "peering"
	// ByOther means liqoctl, or another program; also where only a part of the network is this provider's.
	ByOther Maker = "other"
)

// makerOf tells who made what there is of a network at its two ends.
func makerOf(one, other objects, peered bool) Maker {
	made := append(one.made(), other.made()...)
	switch {
	case len(made) == 0:
		return ""
	case allManaged(made):
		return ByProvider
	case peered:
		return ByPeering
	default:
		return ByOther
	}
}
