package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/control"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/underlay"
)

// linkChange is the changes of a link that the flags request.
type linkChange struct {
	down, up bool
	delay    time.Duration
	loss     string
}

func newLink(folder func() (string, error)) *cobra.Command {
	var change linkChange
	command := &cobra.Command{
		Use:   "link CLUSTER OTHER",
		Short: "Cut, restore or slow down the link between the nodes of two clusters, and show its state",
		Long: "Cut, restore or slow down the link between the nodes of two clusters, and show its new state. " +
			"Without flags, only show it. It needs a lab\n" +
			"with --dataplane=real.",
		Example: "  liqo-lab link rome milan --delay 50ms --loss 1%",
		Args:    cobra.ExactArgs(2),
	}
	command.RunE = onLab(folder, func(ctx context.Context, lab *control.Client, args []string) error {
		conditions, err := lab.Link(ctx, args[0], args[1])
		if err != nil {
			return err
		}
		changed := conditions
		if err := change.apply(&changed, command.Flags().Changed); err != nil {
			return err
		}
		if changed != conditions {
			if err := lab.SetLink(ctx, args[0], args[1], changed); err != nil {
				return err
			}
		}
		return json.NewEncoder(os.Stdout).Encode(map[string]any{
			"down": changed.Down, "delay": changed.Delay.String(), "loss": changed.Loss,
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
