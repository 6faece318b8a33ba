package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/relay"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/underlay"
)

// linkChange is the changes of a link that the flags request.
type linkChange struct {
	down, up bool
	delay    time.Duration
	loss     string
}

func newLink(c *cli) *cobra.Command {
	var change linkChange
	command := c.inLab(&cobra.Command{
		Use:   "link CLUSTER OTHER",
		Short: "Cut, restore or slow down the link between the nodes of two clusters, and show its state",
		Long: "Cut, restore or slow down the link between the nodes of two clusters, and show its new state. " +
			"Without flags, only show it. It needs a lab\n" +
			"with --dataplane=real.",
		Example: "  liqo-lab link rome milan --delay 50ms --loss 1%",
		Args:    cobra.ExactArgs(2),
	}, func(command *cobra.Command, lab *inside, args []string) error {
		plane, err := lab.Real()
		if err != nil {
			return err
		}
		for _, name := range args {
			if _, err := lab.Cluster(name); err != nil {
				return err
			}
		}
		if args[0] == args[1] {
			return fmt.Errorf("a link joins two different clusters, not %s with itself", args[0])
		}
		conditions := plane.Underlay.Link(args[0], args[1])
		if err := change.apply(&conditions, command.Flags().Changed); err != nil {
			return err
		}
		plane.Underlay.SetLink(args[0], args[1], conditions)
		return json.NewEncoder(command.OutOrStdout()).Encode(map[string]any{
			"down": conditions.Down, "delay": conditions.Delay.String(), "loss": conditions.Loss,
		})
	})
	flags := command.Flags()
	flags.BoolVar(&change.down, "down", false, "cut it")
	flags.BoolVar(&change.up, "up", false, "restore it: no cut, and no delay and loss except what other flags set")
	flags.DurationVar(&change.delay, "delay", 0, "how long a packet takes, one way")
	flags.StringVar(&change.loss, "loss", "0%", "the share of packets that are lost, one way")
	command.MarkFlagsMutuallyExclusive("down", "up")
	return command
}

// apply changes the conditions for which a flag is set.
func (l linkChange) apply(conditions *underlay.Conditions, given func(flag string) bool) error {
	if l.up {
		*conditions = underlay.Conditions{}
	}
	if l.down {
		conditions.Down = true
	}
	if given("delay") {
		if l.delay < 0 {
			return errors.New("--delay must not be negative")
		}
		conditions.Delay = l.delay
	}
	if given("loss") {
		percent, err := strconv.ParseFloat(strings.TrimSuffix(l.loss, "%"), 64)
		if err != nil || percent < 0 || percent > 100 {
			return fmt.Errorf("--loss %s: it must be from 0%% to 100%%", l.loss)
		}
		conditions.Loss = percent / 100
	}
	return nil
}

func newNAT(c *cli) *cobra.Command {
	return c.inLab(&cobra.Command{
		Use:   "renew-nat",
		Short: "Give the NAT another address",
		Long: "Give the NAT another address, as a router gets one when it dials in again, and print it. It forgets its\n" +
			"connections. The addresses of the nodes behind it stay. It needs a lab with --dataplane=real.",
		Args: cobra.NoArgs,
	}, func(command *cobra.Command, lab *inside, _ []string) error {
		plane, err := lab.Real()
		if err != nil {
			return err
		}
		address, err := plane.RenewNAT()
		if err != nil {
			return err
		}
		return json.NewEncoder(command.OutOrStdout()).Encode(map[string]netip.Addr{"address": address})
	})
}

func newRelay() *cobra.Command {
	var seed int64
	command := &cobra.Command{
		Use:   "relay HOST:PORT",
		Short: "Pass on connections to a server, as a long or a bad network does",
		Long: "Pass on connections to a server, such as an API server, as a long or a bad network does, until stdin ends. " +
			"Print the\n" +
			"address to connect to. Each value of JSON on stdin sets the conditions, and is printed when it holds:\n" +
			"delay, in nanoseconds each way; stalls, one piece of so many comes 3 seconds later; cuts, one piece of so many " +
			"is lost\nwith its connection.",
		Example: `  (echo '{"delay": 100000000}'; cat) | liqo-lab relay 127.0.0.1:6443`,
		Args:    cobra.ExactArgs(1),
	}
	command.RunE = func(_ *cobra.Command, args []string) error {
		between, err := relay.Start(args[0], seed)
		if err != nil {
			return err
		}
		defer between.Close()
		fmt.Println(between.Address())
		return obey(between, os.Stdin, os.Stdout)
	}
	command.Flags().Int64Var(&seed, "seed", 0, "decides which pieces are stalled and cut")
	return command
}

// obey sets the conditions that it reads, and writes each of them once it holds. It returns at the end of
// the input.
func obey(between *relay.Relay, in io.Reader, out io.Writer) error {
	read, written := json.NewDecoder(in), json.NewEncoder(out)
	read.DisallowUnknownFields()
	for {
		var conditions relay.Conditions
		switch err := read.Decode(&conditions); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("the conditions can't be read: %w", err)
		}
		between.Set(conditions)
		if err := written.Encode(conditions); err != nil {
			return err
		}
	}
}
