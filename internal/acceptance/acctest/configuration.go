package acctest

import "fmt"

// ShortcutRomeMilan is a shortcut over a node port.
const ShortcutRomeMilan = romeMilan + "}"

// ShortcutInDefault is the same [InDefault], for tests that are not about the namespaces.
const ShortcutInDefault = romeMilan + InDefault + "\n}"

const romeMilan = `
	resource "liqo_shortcut" "rome_milan" {
	  client         = "rome"
	  server         = "milan"
	  ` + OverNodePort + "\n"

// InDefault are settings of namespaces that a destroy leaves. Kubernetes takes five seconds to remove one.
const InDefault = `
	client_namespace = "default"
	server_namespace = "default"`

// BothLeaves is a provider block with a context for each cluster.
const BothLeaves = `
	provider "liqo" {
	  config_path = "~/.kube/config"
	}
	`

// Joining returns a shortcut over a NodePort with this address and more attributes.
func Joining(name, client, server, more string) string {
	return FromTo(name, client, server, OverNodePort+"\n"+more)
}

// Listing returns a provider block with the lab's merged kubeconfig and these entries of `clusters`.
func (l *Lab) Listing(entries string) string {
	return fmt.Sprintf(`
		provider "liqo" {
		  config_path = %q
		  clusters    = { %s }
		}
		`, l.Kubeconfig, entries)
}

// Required is the `required_providers` block of a provider that HashiCorp does not publish.
const Required = `
	terraform {
	  required_providers {
	    liqo = { source = "leafmesh/liqo" }
	  }
	}
	`

// Between returns a provider block and a shortcut from Rome to a server, with these settings.
func (l *Lab) Between(server, settings string) string {
	return l.Contexts(FromTo("rome_milan", "rome", server, settings))
}

// FromTo returns a shortcut between any two leaves with this address.
func FromTo(name, client, server, settings string) string {
	return fmt.Sprintf(`
		resource "liqo_shortcut" %q {
		  client = %q
		  server = %q
		  %s
		}`, name, client, server, settings)
}

// OverNodePort is a setting that needs no load balancer.
const OverNodePort = `server_gateway = { service_type = "NodePort" }`

// RomeMilan is the address of the shortcut in most tests.
const RomeMilan = "liqo_shortcut.rome_milan"

// DataRomeMilan is a data source that shows it.
const DataRomeMilan = `
	data "liqo_shortcut" "rome_milan" {
	  client = "rome"
	  server = "milan"
	}
	`

// ImportRomeMilan imports it.
const ImportRomeMilan = `
	import {
	  to = liqo_shortcut.rome_milan
	  id = "rome/milan"
	}
	`

// Contexts returns a provider block with the lab's merged kubeconfig, followed by more configuration.
func (l *Lab) Contexts(more string) string {
	return Required + fmt.Sprintf(`
		provider "liqo" {
		  config_path = %q
		}
		%s`, l.Kubeconfig, more)
}
