package labdir

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"k8s.io/client-go/rest"
)

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
	answer, err := e.call(ctx, "put", map[string][]byte{"key": []byte(key), "value": value})
	if err != nil && len(answer) > 0 {
		return fmt.Errorf("%w: %s", err, answer) // it says what is wrong with the value
	}
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

// call returns the answer to a request for keys and values, also if etcd has refused it.
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
	url := e.Address + "/v3/kv/" + method
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
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
		err = fmt.Errorf("etcd: %s", response.Status)
	}
	return answer, err
}
