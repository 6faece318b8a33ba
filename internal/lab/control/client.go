package control

import (
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

// timeout is how long one side waits for the other to say what it wants.
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
	body, err := c.do(ctx, http.MethodGet, "/status")
	if err != nil {
		return Status{}, err
	}
	var status Status
	if err := json.Unmarshal(body, &status); err != nil {
		return Status{}, fmt.Errorf("the lab's status: %w", err)
	}
	return status, nil
}

// Stop asks the lab to end. It returns before it has.
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

func (c *Client) do(ctx context.Context, method, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://lab"+path, http.NoBody)
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
