package lab

import (
	"errors"
	"fmt"

	realplane "github.com/leafmesh/terraform-provider-liqo/internal/lab/dataplane/real"
)

// DataPlane is a kind of data plane.
type DataPlane string

// The data planes of a lab. Auto is the real one if the machine supports it.
const (
	Simulated DataPlane = "simulated"
	Real      DataPlane = "real"
	Auto      DataPlane = "auto"
)

// Choose returns Simulated or Real. The error says what the machine lacks for the requested data
// plane. Helper is the file of liqo-pod.
func (d DataPlane) Choose(helper string) (DataPlane, error) {
	switch d {
	case Simulated:
		return Simulated, nil
	case Real:
		return Real, realplane.Check(helper)
	case Auto:
		if possible := realplane.Check(helper) == nil; possible {
			return Real, nil
		}
		return Simulated, nil
	}
	return d, fmt.Errorf("unknown data plane %q: it must be simulated, real or auto", d)
}

// Real returns the real data plane. It fails if the lab has a simulated one.
func (l *Lab) Real() (*realplane.Real, error) {
	if l.real == nil {
		return nil, errors.New("the data plane of this lab is simulated: it runs no pods and carries no packets; " +
			"start the lab with --dataplane=real")
	}
	return l.real, nil
}

func (l *Lab) dataPlane() DataPlane {
	if l.real == nil {
		return Simulated
	}
	return Real
}
