package main

import (
	"io"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/curl"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/netcat"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/ping"
)

// tools are the programs that this one is in the sandboxes of pods, by the name with which it is called. The machine
// may lack them.
var tools = map[string]func(args []string, out, messages io.Writer) (status int){
	"ping": ping.Main, "curl": curl.Main, "nc": netcat.Main,
}
