package labdir

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const stateFile = "lab.json"

// State is everything that a user of a lab needs to know.
type State struct {
	Dir string `json:"dir"`
	// Kubeconfig is a file with a context for each cluster, with the cluster's name. The audit log
	// records the requests that use it.
	Kubeconfig string `json:"kubeconfig"`
	// DataPlane is simulated or real.
	DataPlane string    `json:"dataPlane"`
	Clusters  []Cluster `json:"clusters"`
}

// Cluster is everything that a user of a cluster needs to know.
type Cluster struct {
	Name string `json:"name"`
	// Etcd is where the cluster's etcd is.
	Etcd Etcd `json:"etcd"`
	// Kubeconfig is a file with this cluster only, and with the credentials that the lab itself
	// uses.
	Kubeconfig   string `json:"kubeconfig"`
	Server       string `json:"server"`
	PodCIDR      string `json:"podCIDR"`
	ExternalCIDR string `json:"externalCIDR"`
	ClusterID    string `json:"clusterID"`
	// AuditLog is the file in which the API server records the requests that use the kubeconfig of
	// all clusters.
	AuditLog string `json:"auditLog"`
	// KubernetesVersion is the version of Kubernetes, with a leading v.
	KubernetesVersion string `json:"kubernetesVersion"`
	// LiqoVersion is the version of Liqo, with a leading v, or empty if Liqo is not installed.
	LiqoVersion string `json:"liqoVersion,omitempty"`
	// LiqoFolder is the folder of its sources, or empty if the version is a published one.
	LiqoFolder string `json:"liqoFolder,omitempty"`
	// Peerable reports whether the cluster can be peered with another one.
	Peerable bool `json:"peerable"`
	// Nodes are its nodes, at least one. NodeIP and NATIP are the addresses of the first.
	Nodes  []Node `json:"nodes"`
	NodeIP string `json:"nodeIP,omitempty"`
	NATIP  string `json:"natIP,omitempty"`
}

// Node is everything that a user of a node needs to know.
type Node struct {
	Name string `json:"name"`
	// IP is its address for other clusters. NATIP is its address behind a NAT. They are only set with
	// a real data plane.
	IP    string `json:"ip,omitempty"`
	NATIP string `json:"natIP,omitempty"`
}

// Announce writes the state as one line of JSON, which shows the parent process that the lab is
// ready.
func (s State) Announce(out io.Writer) error { return json.NewEncoder(out).Encode(s) }

// ReadAnnounced waits until a lab has announced itself on its standard output. It returns io.EOF if
// the lab ends before that.
func ReadAnnounced(stdout io.Reader) (State, error) {
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		return State{}, err
	}
	return parseState(line, "what the lab announces")
}

// WriteState writes the state of a lab that is ready, for ReadState.
func (d *Dir) WriteState(state State) error {
	content, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(d.file(stateFile), append(content, '\n'), 0o644)
}

// ReadState returns the state of the lab in a folder. It returns ErrNoLab if no lab there is ready.
func ReadState(path string) (State, error) {
	content, err := os.ReadFile(filepath.Join(path, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, fmt.Errorf("%s: %w", path, ErrNoLab)
	}
	if err != nil {
		return State{}, err
	}
	return parseState(content, filepath.Join(path, stateFile))
}

// parseState parses a state. Source says where it comes from, for the error.
func parseState(content []byte, source string) (State, error) {
	var state State
	if err := json.Unmarshal(content, &state); err != nil {
		return State{}, fmt.Errorf("%s: %w", source, err)
	}
	return state, nil
}
