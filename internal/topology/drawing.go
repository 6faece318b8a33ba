package topology

import "github.com/leafmesh/terraform-provider-liqo/internal/shortcut"

// Direction is where a drawing begins and where it goes, in the words of Mermaid and Graphviz.
type Direction string

// The values of [Direction].
const (
	LeftToRight Direction = "LR"
	TopToBottom Direction = "TB"
	RightToLeft Direction = "RL"
	BottomToTop Direction = "BT"
)

// condition is what a drawing shows of a status.
type condition int

const (
	working condition = iota
	coming            // it may be working soon
	broken
	unclear // it can't be seen from here
)

func (e Edge) condition() condition {
	switch e.Status {
	case shortcut.Connected, NoNetwork:
		return working
	case shortcut.Connecting:
		return coming
	case shortcut.Unknown:
		return unclear
	default:
		return broken
	}
}

// label is what a drawing says of an edge. It leaves out what changes from one look to the next, such as the latency.
func (e Edge) label() string {
	text := string(e.Kind)
	if e.Kind == OfShortcut && e.MadeBy != shortcut.ByProvider {
		text += " (not Terraform's)"
	}
	switch e.condition() {
	case broken:
		return "✗ " + text + ": " + string(e.Status)
	case coming:
		return "… " + text + ": " + string(e.Status)
	case unclear:
		return "? " + text + ": " + string(e.Status)
	}
	if e.Status == NoNetwork {
		text += " without a network"
	}
	return text
}

// lines are what a drawing says of a node: its name and, where something is wrong with it, what.
func (n Node) lines() []string {
	switch n.Status {
	case Unreachable:
		return []string{n.Name, "✗ unreachable"}
	case NoLiqo:
		return []string{n.Name, "✗ no Liqo"}
	case Refused:
		return []string{n.Name, "✗ error"}
	default:
		return []string{n.Name}
	}
}
