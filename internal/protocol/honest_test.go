package protocol

import (
	"testing"
)

func TestRangesThatWouldLosePacketsAreRefusedAtThePlan(t *testing.T) {
	l := leavesFor(t)
	for name, test := range map[string]struct {
		settings string
		message  []string
	}{
		"pods": {
			`server_network = { pod_cidrs = ["10.220.0.0/16"] }`,
			[]string{
				`Error: There are no pods in 10.220.0.0/16 on leaf "milan"`, "server_network.pod_cidrs",
				`The pods of "milan" have addresses in 10.203.0.0/16.`,
			},
		},
		"the external CIDR": {
			`client_network = { external_cidr = "192.168.0.128/25" }`,
			[]string{
				`Error: 192.168.0.128/25 does not begin the external CIDR on leaf "rome"`,
				`client_network.external_cidr = "192.168.0.128/25"`,
				`The external CIDR of "rome" is 192.168.0.0/24.`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l.project(t, between("milan", overNodePort+"\n"+test.settings)).planFails(test.message...)
		})
	}
}
