package labdir

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
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
	var state State
	err := json.NewDecoder(stdout).Decode(&state)
	return state, err
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
	var state State
	if err := json.Unmarshal(content, &state); err != nil {
		return State{}, fmt.Errorf("%s: %w", filepath.Join(path, stateFile), err)
	}
	return state, nil
}

// Etcd is where the etcd of a cluster is, and the files with what it takes to be let in. It is asked through its JSON
// gateway, because its own client would add its dependencies to every program.
type Etcd struct {
	// Address is a URL.
	Address string `json:"address"`
	// CAFile has the certificate that signs etcd's. CertFile and KeyFile have a certificate that etcd accepts.
	CAFile   string `json:"caFile,omitempty"`
	CertFile string `json:"certFile,omitempty"`
	KeyFile  string `json:"keyFile,omitempty"`
}

// Put writes a value.
func (e Etcd) Put(ctx context.Context, key string, value []byte) error {
	_, err := e.call(ctx, "put", map[string][]byte{"key": []byte(key), "value": value})
	return err
}

// Keys returns the keys from the first one on, up to another one that does not count.
func (e Etcd) Keys(ctx context.Context, first, end string) ([]string, error) {
	content, err := e.call(ctx, "range", map[string]any{
		"key": []byte(first), "range_end": []byte(end), "keys_only": true,
	})
	if err != nil {
		return nil, err
	}
	var answer struct {
		KVs []struct {
			Key []byte `json:"key"`
		} `json:"kvs"`
	}
	if err := json.Unmarshal(content, &answer); err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	found := make([]string, len(answer.KVs))
	for i, kv := range answer.KVs {
		found[i] = string(kv.Key)
	}
	return found, nil
}

// call returns the answer to a request for keys and values. An error has what etcd says.
func (e Etcd) call(ctx context.Context, method string, content any) ([]byte, error) {
	body, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	client, err := rest.HTTPClientFor(&rest.Config{TLSClientConfig: rest.TLSClientConfig{
		CAFile: e.CAFile, CertFile: e.CertFile, KeyFile: e.KeyFile,
	}})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.Address+"/v3/kv/"+method, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("etcd: %s: %s", response.Status, bytes.TrimSpace(answer))
	}
	return answer, err
}
