package figures

import (
	"math"
	"testing"
)

// growing are runs whose seconds are 3 and 2 for each shortcut, and whose memory is the square of the shortcuts.
var growing = FleetRuns{
	{FleetSize: FleetSize{10, 40}, Command: "plan", Seconds: 83, Megabytes: 1600},
	{FleetSize: FleetSize{10, 10}, Command: "plan", Seconds: 23, Megabytes: 100},
	{FleetSize: FleetSize{10, 20}, Command: "plan", Seconds: 43, Megabytes: 400},
}

func shortcutsOf(r FleetRun) float64 { return float64(r.Shortcuts) }

func TestAFleetGrowsByALineAndWithAPower(t *testing.T) {
	if further := growing.PerFurther(shortcutsOf, func(r FleetRun) float64 { return r.Seconds }); further != 2 {
		t.Errorf("a further shortcut takes %v s", further)
	}
	power := growing.Exponent(shortcutsOf, func(r FleetRun) float64 { return r.Megabytes })
	if math.Abs(power-2) > 1e-9 {
		t.Errorf("memory grows with the power %v", power)
	}
	if few := growing.Of(func(r FleetRun) bool { return r.Shortcuts < 30 }); len(few) != 2 || len(growing) != 3 {
		t.Errorf("%d of %d runs have less than 30 shortcuts", len(few), len(growing))
	}
}
