// Package tools contains ping, with the flags and the output that the pods of a connectivity test use, curl, for the
// metrics of gateways, and wget, with the flags of a gateway's probes. The machine may lack these programs.
package tools

import (
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"strconv"
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

// curl gets a page over HTTP, without TLS. The URL must name the port.
func curl(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("curl", flag.ContinueOnError)
	flags.Bool("s", true, "show no progress")
	longest := seconds(flags, "m", time.Minute, "`seconds` until it gives up")
	file := flags.String("o", "", "`file` for the answer")
	url, err := parse(flags, args)
	if err != nil {
		return err
	}
	answer := out
	if *file != "" {
		opened, err := os.Create(*file)
		if err != nil {
			return err
		}
		defer opened.Close()
		answer = opened
	}
	ctx, cancel := context.WithTimeout(context.Background(), *longest)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request) // it follows no redirect
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(answer, response.Body)
	return err
}

// wget gets a page as curl does, into a file.
func wget(args []string, _ io.Writer) error {
	flags := flag.NewFlagSet("wget", flag.ContinueOnError)
	flags.Bool("q", true, "show no progress")
	file := flags.String("O", "", "`file` for the answer")
	longest := flags.Int("T", 0, "`seconds` until it gives up")
	url, err := parse(flags, args)
	if err != nil {
		return err
	}
	return curl([]string{"-o", *file, "-m", strconv.Itoa(*longest), url}, io.Discard)
}
