// Package tools contains ping, with the flags and the output that the pods of a connectivity test use, curl, for the
// metrics of gateways, and wget, with the flags of a gateway's probes. The machine may lack these programs.
package tools

import (
	"errors"
	"flag"
	"io"
	"time"
)

// A Tool runs with the arguments of a command line, without the program's name.
type Tool func(args []string, out io.Writer) error

// ByName are the tools, by the name of the program.
var ByName = map[string]Tool{"ping": ping, "curl": curl, "wget": wget}

// parse reads flags, and returns the only argument that is none.
func parse(flags *flag.FlagSet, args []string) (target string, err error) {
	flags.SetOutput(io.Discard)
	if err := flags.Parse(args); err != nil {
		return "", err
	}
	if flags.NArg() != 1 {
		return "", errors.New("exactly one target is needed")
	}
	return flags.Arg(0), nil
}

// seconds adds a flag for a time in seconds, which may have a fraction.
func seconds(flags *flag.FlagSet, name string, standard time.Duration, usage string) *time.Duration {
	value := &standard
	flags.Func(name, usage, func(text string) (err error) {
		*value, err = time.ParseDuration(text + "s")
		return err
	})
	return value
}
