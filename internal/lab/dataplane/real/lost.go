package real

import (
	"errors"
	"fmt"

	"github.com/google/nftables"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
)

// silence is the nftables table that makes a network deaf.
const silence = "lost"

// setLost cuts the node and its pods off from all networks, and from the API server, or ends that. Their programs
// run on, like those of a node that has lost its uplink.
func (n *node) setLost(lost bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lost == lost {
		return nil
	}
	n.lost = lost
	errs := []error{setDeaf(n.Sandbox, lost)}
	for _, p := range n.pods {
		if p.node == n {
			errs = append(errs, setDeaf(p.Sandbox, lost))
		}
	}
	return errors.Join(errs...)
}

// setDeaf drops all packets that come into a network, or no longer does so. Those of its own loopback, on which the
// relay to the API server listens, are among them. Connections hang then, as they do without an uplink. What the
// network sends is dropped where it arrives: a pod's at its node, and a node's at its pods or nowhere.
func setDeaf(in *sandbox.Sandbox, deaf bool) error {
	conn, err := nftables.New(nftables.WithNetNSFd(int(in.Namespace)))
	if err != nil {
		return err
	}
	table := &nftables.Table{Family: nftables.TableFamilyIPv4, Name: silence}
	if deaf {
		conn.AddChain(&nftables.Chain{
			Name: "in", Table: conn.AddTable(table), Type: nftables.ChainTypeFilter, Hooknum: nftables.ChainHookPrerouting,
			Priority: nftables.ChainPriorityFirst, Policy: new(nftables.ChainPolicyDrop),
		})
	} else {
		conn.DelTable(table)
	}
	if err := conn.Flush(); err != nil {
		return fmt.Errorf("nftables: %w", err)
	}
	return nil
}
