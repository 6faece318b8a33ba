package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/control"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fault"
)

// atPlace explains the name of a place in the help of each command that takes one.
const atPlace = "A pod is named cluster/namespace/name, and a node cluster/name. It takes a lab with --dataplane=real."

// newDrop returns the command that drops packets.
func newDrop(folder func() (string, error)) *cobra.Command {
	var match fault.Match
	var hook, from, to string
	command := &cobra.Command{
		Use:   "drop PLACE",
		Short: "Drop the packets in the network of a pod or a node that match all flags, until liqo-lab mend",
		Long: "Drop the packets in the network of a pod or a node that match all flags, until liqo-lab mend. " +
			"Each call adds a rule. Fragments are only\n" +
			"visible at the hook prerouting: the kernel puts them together after it. The hook ingress needs --in and takes no " +
			"other flag:\nit drops all that comes from a device, also the ARP by which neighbours find each other. " + atPlace,
		Example: "  liqo-lab drop rome/rome-node --protocol udp --larger 1000",
		Args:    cobra.ExactArgs(1),
	}
	flags := command.Flags()
	flags.StringVar(&hook, "hook", "", strings.Join(fault.Hooks(), ", ")+
		" (default: forward, and prerouting for fragments)")
	flags.StringVar(&match.In, "in", "", "the device from which a packet comes; it may end in *")
	flags.StringVar(&match.Out, "out", "", "the device to which a packet goes; it may end in *")
	flags.StringVar(&match.Protocol, "protocol", "", "icmp, udp or tcp")
	flags.StringVar(&from, "from", "", "the network of the source")
	flags.StringVar(&to, "to", "", "the network of the destination")
	flags.Uint16Var(&match.Larger, "larger", 0, "only packets with more bytes than this, with all headers")
	flags.BoolVar(&match.Fragments, "fragments", false, "only fragments")
	command.RunE = onLab(folder, func(ctx context.Context, lab *control.Client, args []string) error {
		var err error
		if match.From, err = network("from", from); err != nil {
			return err
		}
		if match.To, err = network("to", to); err != nil {
			return err
		}
		match.Hook = fault.Hook(hook)
		if hook == "" {
			match.Hook = "forward"
			if match.Fragments {
				match.Hook = "prerouting"
			}
		}
		if err := match.Check(); err != nil {
			return err
		}
		return lab.Drop(ctx, args[0], match)
	})
	return command
}

// network reads the value of a flag. An empty one stands for all networks.
func network(flag, text string) (netip.Prefix, error) {
	if text == "" {
		return netip.Prefix{}, nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return prefix, fmt.Errorf("--%s: %q is not a network such as 10.71.0.0/16", flag, text)
	}
	return prefix, nil
}

// newUnroute returns the command that hides the routes to a network.
func newUnroute(folder func() (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "unroute PLACE CIDR",
		Short: "Make a pod or a node behave as if it had no route to a network, until liqo-lab mend",
		Long: "Make a pod or a node behave as if it had no route to a network, until liqo-lab mend. " +
			"The routes stay, because Liqo would restore them at once,\nbut a rule comes before them. " + atPlace,
		Example: "  liqo-lab unroute rome/rome-node 10.71.0.0/16",
		Args:    cobra.ExactArgs(2),
		RunE: onLab(folder, func(ctx context.Context, lab *control.Client, args []string) error {
			to, err := netip.ParsePrefix(args[1])
			if err != nil {
				return fmt.Errorf("%q is not a network such as 10.71.0.0/16", args[1])
			}
			return lab.Unroute(ctx, args[0], to)
		}),
	}
}

// newDevice returns the command that sets devices up or down.
func newDevice(folder func() (string, error)) *cobra.Command {
	var up bool
	command := &cobra.Command{
		Use:     "device PLACE DEVICE",
		Short:   "Set a device of a pod or a node down, or up again with its routes",
		Long:    "Set a device of a pod or a node down, or up again with its routes. The name may end in *. " + atPlace,
		Example: "  liqo-lab device rome/rome-node 'liqo.*' --down",
		Args:    cobra.ExactArgs(2),
		RunE: onLab(folder, func(ctx context.Context, lab *control.Client, args []string) error {
			return lab.SetDevice(ctx, args[0], control.Device{Name: args[1], Up: up})
		}),
	}
	command.Flags().Bool("down", false, "set it down")
	command.Flags().BoolVar(&up, "up", false, "set it up")
	command.MarkFlagsMutuallyExclusive("down", "up")
	command.MarkFlagsOneRequired("down", "up")
	return command
}

// newMend returns the command that removes faults.
func newMend(folder func() (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "mend PLACE",
		Short: "Remove what liqo-lab drop, unroute and device have done to a pod or a node",
		Long:  "Remove what liqo-lab drop, unroute and device have done to a pod or a node. " + atPlace,
		Args:  cobra.ExactArgs(1),
		RunE: onLab(folder, func(ctx context.Context, lab *control.Client, args []string) error {
			return lab.Mend(ctx, args[0])
		}),
	}
}

// newWhere returns the command that shows where a place is.
func newWhere(folder func() (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "where PLACE",
		Short: "Show the process that holds the network of a pod or a node, and a pod's device in its node",
		Long: "Show the process that holds the network of a pod or a node, and a pod's device in its node, as JSON. " +
			atPlace,
		Args: cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			return onLab(folder, func(ctx context.Context, lab *control.Client, args []string) error {
				place, err := lab.Place(ctx, args[0])
				if err != nil {
					return err
				}
				return json.NewEncoder(command.OutOrStdout()).Encode(place)
			})(command, args)
		},
	}
}
