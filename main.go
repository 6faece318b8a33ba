// terraform-provider-liqo is a Terraform provider for shortcuts between leaf clusters that Liqo connects.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/debug"

	"github.com/go-logr/logr"
	framework "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/leafmesh/terraform-provider-liqo/internal/provider"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// address is the provider's address in Terraform's registry.
const address = "registry.terraform.io/leafmesh/liqo"

// Set by the release build.
var (
	version = "dev"
	commit  = "none"
)

// gcPercent lets the heap grow to three times its live size before the garbage collector runs.
const gcPercent = 200

func main() {
	attach := flag.Bool("debug", false, "run under a debugger: print how Terraform attaches, and wait for it")
	showVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *showVersion {
		fmt.Printf("terraform-provider-liqo %s (%s)\n", version, commit)
		return
	}

	tune()
	// These libraries return the errors that they log. Their other logs do not help users, and may contain secrets.
	ctrllog.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())

	trouble.SetVersion(version, commit)
	liqo := provider.New(version)
	defer liqo.Close()
	err := providerserver.Serve(context.Background(), func() framework.Provider { return liqo },
		providerserver.ServeOpts{Address: address, Debug: *attach, ProtocolVersion: 6})
	if err != nil {
		log.Fatal(err) //nolint:gocritic // the end of the process closes everything
	}
}

// tune avoids work that is useless in a process that serves only one plan or apply.
func tune() {
	// The SDK logs a line for each step of each request, and Terraform discards these lines unless the user asked for a
	// log. Writing them is a sixth of the provider's work.
	if os.Getenv("TF_LOG") == "" && os.Getenv("TF_LOG_PROVIDER") == "" {
		for _, name := range []string{"TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK"} {
			if os.Getenv(name) == "" {
				_ = os.Setenv(name, "OFF") // fails only for invalid names
			}
		}
	}
	// Garbage collection is another tenth, and the process ends before much garbage exists.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
