package curl

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// options are what the command line requests.
type options struct {
	url                       *url.URL
	silent, showError, fail   bool
	old                       bool // an answer without headers is allowed
	output, format            string
	longest, longestToConnect time.Duration // zero stands for no limit
}

// parse reads the command line without the program's name.
func parse(args []string) (options, error) {
	var o options
	flags := pflag.NewFlagSet("curl", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVarP(&o.silent, "silent", "s", false, "")
	flags.BoolVarP(&o.showError, "show-error", "S", false, "")
	flags.BoolVarP(&o.fail, "fail", "f", false, "")
	flags.BoolVar(&o.old, "http0.9", false, "")
	flags.StringVarP(&o.output, "output", "o", "", "")
	flags.StringVarP(&o.format, "write-out", "w", "", "")
	longest := flags.StringP("max-time", "m", "", "")
	longestToConnect := flags.String("connect-timeout", "", "")
	if err := flags.Parse(args); err != nil {
		return o, failure{statusUsage, err.Error()}
	}
	var err error
	if o.longest, err = seconds(*longest); err != nil {
		return o, failure{statusUsage, "option -m: expected a proper numerical parameter"}
	}
	if o.longestToConnect, err = seconds(*longestToConnect); err != nil {
		return o, failure{statusUsage, "option --connect-timeout: expected a proper numerical parameter"}
	}
	if flags.NArg() != 1 {
		return o, failure{statusUsage, "exactly one URL is needed"}
	}
	if o.url, err = url.Parse(flags.Arg(0)); err != nil || o.url.Host == "" {
		return o, failure{statusMalformed, "URL using bad/illegal format or missing URL"}
	}
	if o.url.Scheme != "http" {
		return o, failure{statusUnsupported, fmt.Sprintf("Protocol %q not supported", o.url.Scheme)}
	}
	return o, nil
}

// seconds reads a time in seconds, which may have a fraction. An empty text stands for no limit.
func seconds(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || value < 0 || value > math.MaxInt32 {
		return 0, errors.New("no time in seconds")
	}
	return time.Duration(value * float64(time.Second)), nil
}
