// Package topology describes how clusters are connected: which clusters exist, which are peered, and which have a
// shortcut. It holds plain values, and draws them as text for Mermaid.
package topology
