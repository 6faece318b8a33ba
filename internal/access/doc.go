// Package access is how a cluster is reached: where its API server is, and who the user is there. It reads kubeconfigs
// and runs credential plugins, and connects to nothing.
package access
