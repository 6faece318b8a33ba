package topology

import "github.com/leafmesh/terraform-provider-liqo/internal/shortcut"

// Direction is the direction of a drawing, in the syntax of Mermaid and Graphviz.
type Direction string

// The values of [Direction].
const (
	LeftToRight Direction = "LR"
	TopToBottom Direction = "TB"
	RightToLeft Direction = "RL"
	BottomToTop Direction = "BT"
)

// condition is the part of a status that a drawing shows.
type condition int

const (
	working condition = iota
	coming            // may work soon
	broken
	unclear // can't be determined from here
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

// label returns the text of an edge. It omits values that change all the time, such as the latency.
func (e Edge) label() string {
	text := string(e.Kind)
	if e.Kind == OfShortcut && e.MadeBy != shortcut.ByProvider {
		text += " (not Terraform's)"
	}
	switch len(e.LimitedAt) {
	case 0:
	case 1:
		text += ", limited at " + e.LimitedAt[0]
	default:
		text += ", limited"
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

// lines returns the text of a node: its name and, if something is wrong with it, the problem.
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
