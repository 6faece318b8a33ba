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

// State is what others need to know to use a lab.
type State struct {
	Dir string `json:"dir"`
	// Kubeconfig is a file with a context for each cluster, called like the cluster. Requests with it are audited.
	Kubeconfig string `json:"kubeconfig"`
	// DataPlane is simulated or real.
	DataPlane string    `json:"dataPlane"`
	Clusters  []Cluster `json:"clusters"`
}

// Cluster is what others need to know to use a cluster of a lab.
type Cluster struct {
	Name string `json:"name"`
	// Kubeconfig is a file with this cluster only, and the credentials that the lab itself uses.
	Kubeconfig   string `json:"kubeconfig"`
	Server       string `json:"server"`
	PodCIDR      string `json:"podCIDR"`
	ExternalCIDR string `json:"externalCIDR"`
	ClusterID    string `json:"clusterID"`
	// AuditLog is where the API server notes the requests that are made with the kubeconfig of all clusters.
	AuditLog string `json:"auditLog"`
	// Peerable reports whether it can be peered with another one.
	Peerable bool `json:"peerable"`
	// NodeIP is the node's address for other clusters, and NATIP another one for it, behind a NAT. Only a real data plane has them.
	NodeIP string `json:"nodeIP,omitempty"`
	NATIP  string `json:"natIP,omitempty"`
}

// Announce tells whoever started a lab that it is ready: it writes the state as one line of JSON.
func (s State) Announce(out io.Writer) error { return json.NewEncoder(out).Encode(s) }

// ReadAnnounced waits until a lab has announced itself on its standard output. It returns io.EOF if the lab ends before.
func ReadAnnounced(stdout io.Reader) (State, error) {
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		return State{}, err
	}
	return parseState(line, "what the lab announces")
}

// WriteState makes the state of a lab that is ready known to ReadState.
func (d *Dir) WriteState(state State) error {
	content, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(d.file(stateFile), append(content, '\n'), 0o644)
}

// ReadState returns the state of the lab in a folder. It returns ErrNoLab if there is none that is ready.
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

// parseState reads a state. Source is where it is from, for the error.
func parseState(content []byte, source string) (State, error) {
	var state State
	if err := json.Unmarshal(content, &state); err != nil {
		return State{}, fmt.Errorf("%s: %w", source, err)
	}
	return state, nil
}
