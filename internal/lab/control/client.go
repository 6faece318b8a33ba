package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// timeout limits how long one side waits for the other's message.
const timeout = 10 * time.Second

// Client controls the lab in a folder.
type Client struct {
	dir  string
	http *http.Client
}

// NewClient returns a client for the lab in a folder.
func NewClient(dir string) *Client {
	return &Client{dir: dir, http: &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return labdir.Dial(dir) },
	}}}
}

// Status returns the lab's state. The error is labdir.ErrNoLab if none runs.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var status Status
	err := c.exchange(ctx, http.MethodGet, "/status", nil, &status)
	return status, err
}

// Stop tells the lab to end. It does not wait for the end.
func (c *Client) Stop(ctx context.Context) error {
	_, err := c.do(ctx, http.MethodPost, "/stop")
	return err
}

// StopAPIServer stops kube-apiserver of a cluster and returns when it is down.
func (c *Client) StopAPIServer(ctx context.Context, cluster string) error {
	_, err := c.do(ctx, http.MethodPost, "/clusters/"+url.PathEscape(cluster)+"/apiserver/stop")
	return err
}

// StartAPIServer starts kube-apiserver of a cluster and returns when Liqo works again.
func (c *Client) StartAPIServer(ctx context.Context, cluster string) error {
	_, err := c.do(ctx, http.MethodPost, "/clusters/"+url.PathEscape(cluster)+"/apiserver/start")
	return err
}

// Set changes a setting of a cluster.
func (c *Client) Set(ctx context.Context, cluster, key, value string) error {
	path := "/clusters/" + url.PathEscape(cluster) + "/settings/" + url.PathEscape(key)
	_, err := c.do(ctx, http.MethodPut, path+"?value="+url.QueryEscape(value))
	return err
}

// exchange sends a value as JSON, unless it is nil, and reads the answer.
func (c *Client) exchange(ctx context.Context, method, path string, send, answer any) error {
	var body []byte
	if send != nil {
		var err error
		if body, err = json.Marshal(send); err != nil {
			return err
		}
	}
	received, err := c.do(ctx, method, path, body...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(received, answer); err != nil {
		return fmt.Errorf("the lab's answer: %w", err)
	}
	return nil
}

func (c *Client) do(ctx context.Context, method, path string, send ...byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://lab"+path, bytes.NewReader(send))
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		if errors.Is(err, labdir.ErrNoLab) {
			return nil, fmt.Errorf("%s: %w", c.dir, labdir.ErrNoLab)
		}
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return nil, errors.New(strings.TrimSpace(string(body)))
	}
	return body, nil
}
