// terraform-provider-liqo makes leaf-to-leaf shortcuts between Kubernetes clusters, joined by Liqo, ordinary Terraform resources.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/debug"

	"github.com/go-logr/logr"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	tfprovider "github.com/hashicorp/terraform-plugin-framework/provider"

	"github.com/leafmesh/terraform-provider-liqo/internal/provider"
)

// address is where Terraform finds the provider.
const address = "registry.terraform.io/leafmesh/liqo"

// Set by the release build.
var (
	version = "dev"
	commit  = "none"
)

// gcPercent lets the heap grow to three times what is in use before garbage is collected.
const gcPercent = 200

func main() {
	attach := flag.Bool("debug", false, "serve for a debugger: print how Terraform attaches, and wait")
	showVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *showVersion {
		fmt.Printf("terraform-provider-liqo %s (%s)\n", version, commit)
		return
	}

	tune()
	// What these libraries log is either returned as an error too, or of no use to a user; and it is not scrubbed of secrets.
	ctrllog.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())

	liqo := provider.New(version)
	defer liqo.Close()
	err := providerserver.Serve(context.Background(), func() tfprovider.Provider { return liqo }, providerserver.ServeOpts{
		Address: address,
		Debug:   *attach,
	})
	if err != nil {
		log.Fatal(err) //nolint:gocritic // the process ends; nothing is left to close
	}
}

// tune saves what a process that serves one plan or apply has no use for.
func tune() {
	// The SDK writes a line for each step of each request and leaves it to Terraform to throw them away. Where nobody asked Terraform for a log, writing
	// them is a sixth of the provider's work.
	if os.Getenv("TF_LOG") == "" && os.Getenv("TF_LOG_PROVIDER") == "" {
		for _, name := range []string{"TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK"} {
			if os.Getenv(name) == "" {
				_ = os.Setenv(name, "OFF") // fails for impossible names only
			}
		}
	}
	// Collecting garbage is another tenth, and the process ends before it has made much.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
