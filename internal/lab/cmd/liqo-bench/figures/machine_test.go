package figures

import (
	"regexp"
	"testing"
)

func TestAMachineIsDescribedInAFewWords(t *testing.T) {
	machine, err := ThisMachine()
	described := regexp.MustCompile(`^\d+ cores of .*, \d+ GiB, \w+/\w+$`)
	if err != nil || !described.MatchString(machine) {
		t.Errorf("it is %q (%v)", machine, err)
	}
}
