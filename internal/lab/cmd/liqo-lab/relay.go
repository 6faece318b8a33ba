package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/relay"
)

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
