// Package topology is the picture of how clusters are joined: which there are, which are peered, and which have a shortcut. It holds plain values, and draws
// them as text that Mermaid or Graphviz makes a drawing of.
package topology
