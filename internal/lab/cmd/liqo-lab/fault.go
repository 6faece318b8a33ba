package main

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fault"
)

// atPlace explains the name of a place in the help of each command that takes one.
const atPlace = "A pod is named cluster/namespace/name, and a node cluster/name. It takes a lab with --dataplane=real."

// onFaults completes a command that changes the faults of the place that its first argument names.
func (c *cli) onFaults(command *cobra.Command, run func(faults *fault.Faults, args []string) error) *cobra.Command {
	return c.inLab(command, func(_ *cobra.Command, lab *inside, args []string) error {
		plane, err := lab.Real()
		if err != nil {
			return err
		}
		found, err := plane.Place(args[0])
		if err != nil {
			return err
		}
		return run(found.Faults, args[1:])
	})
}

// newDrop returns the command that drops packets.
func newDrop(c *cli) *cobra.Command {
	var match fault.Match
	command := c.onFaults(&cobra.Command{
		Use:   "drop PLACE",
		Short: "Drop the packets in the network of a pod or a node that match all flags, until liqo-lab mend",
		Long: "Drop the packets in the network of a pod or a node that match all flags, until liqo-lab mend. " +
			"Each call adds a rule. Fragments are only\n" +
			"visible at the hook prerouting: the kernel puts them together after it. The hook ingress needs --in and takes no " +
			"other flag:\nit drops all that comes from a device, also the ARP by which neighbours find each other. " + atPlace,
		Example: "  liqo-lab drop rome/rome-node --protocol udp --larger 1000",
		Args:    cobra.ExactArgs(1),
	}, func(faults *fault.Faults, _ []string) error {
		if match.Hook == "" {
			match.Hook = "forward"
			if match.Fragments {
				match.Hook = "prerouting"
			}
		}
		return faults.Drop(match)
	})
	flags := command.Flags()
	flags.StringVar((*string)(&match.Hook), "hook", "", strings.Join(fault.Hooks(), ", ")+
		" (default: forward, and prerouting for fragments)")
	flags.StringVar(&match.In, "in", "", "the device from which a packet comes; it may end in *")
	flags.StringVar(&match.Out, "out", "", "the device to which a packet goes; it may end in *")
	flags.StringVar(&match.Protocol, "protocol", "", "icmp, udp or tcp")
	flags.TextVar(&match.From, "from", netip.Prefix{}, "the network of the source")
	flags.TextVar(&match.To, "to", netip.Prefix{}, "the network of the destination")
	flags.Uint16Var(&match.Larger, "larger", 0, "only packets with more bytes than this, with all headers")
	flags.BoolVar(&match.Fragments, "fragments", false, "only fragments")
	return command
}

// newUnroute returns the command that hides the routes to a network.
func newUnroute(c *cli) *cobra.Command {
	return c.onFaults(&cobra.Command{
		Use:   "unroute PLACE CIDR",
		Short: "Make a pod or a node behave as if it had no route to a network, until liqo-lab mend",
		Long: "Make a pod or a node behave as if it had no route to a network, until liqo-lab mend. " +
			"The routes stay, because Liqo would restore them at once,\nbut a rule comes before them. " + atPlace,
		Example: "  liqo-lab unroute rome/rome-node 10.71.0.0/16",
		Args:    cobra.ExactArgs(2),
	}, func(faults *fault.Faults, args []string) error {
		to, err := netip.ParsePrefix(args[0])
		if err != nil {
			return fmt.Errorf("%q is not a network such as 10.71.0.0/16", args[0])
		}
		return faults.Unroute(to)
	})
}

// newMend returns the command that removes faults.
func newMend(c *cli) *cobra.Command {
	return c.onFaults(&cobra.Command{
		Use:   "mend PLACE",
		Short: "Remove what liqo-lab drop and unroute have done to a pod or a node",
		Long:  "Remove what liqo-lab drop and unroute have done to a pod or a node. " + atPlace,
		Args:  cobra.ExactArgs(1),
	}, func(faults *fault.Faults, _ []string) error { return faults.Mend() })
}

// place is where a pod or a node is.
type place struct {
	// PID is the process that holds its network.
	PID int `json:"pid"`
	// Device is a pod's device in its node.
	Device string `json:"device,omitempty"`
}

// newWhere returns the command that shows where a place is.
func newWhere(c *cli) *cobra.Command {
	return c.inLab(&cobra.Command{
		Use:   "where PLACE",
		Short: "Show the process that holds the network of a pod or a node, and a pod's device in its node",
		Long: "Show the process that holds the network of a pod or a node, and a pod's device in its node, as JSON. " +
			atPlace,
		Args: cobra.ExactArgs(1),
	}, func(command *cobra.Command, lab *inside, args []string) error {
		plane, err := lab.Real()
		if err != nil {
			return err
		}
		found, err := plane.Place(args[0])
		if err != nil {
			return err
		}
		return json.NewEncoder(command.OutOrStdout()).Encode(place{found.PID, found.Device})
	})
}
