package control

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/underlay"
)

func (s *Server) link(w http.ResponseWriter, r *http.Request) {
	network, a, b, err := s.ends(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	answer(w, network.Link(a, b))
}

func (s *Server) setLink(w http.ResponseWriter, r *http.Request) {
	network, a, b, err := s.ends(r)
	var conditions underlay.Conditions
	if err == nil {
		err = json.NewDecoder(r.Body).Decode(&conditions)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	network.SetLink(a, b, conditions)
	answer(w, network.Link(a, b))
}

// ends returns the underlay and the two clusters of a request.
func (s *Server) ends(r *http.Request) (network *underlay.Network, a, b string, err error) {
	plane, err := s.lab.Real()
	if err != nil {
		return nil, "", "", err
	}
	a, b = r.PathValue("a"), r.PathValue("b")
	for _, name := range []string{a, b} {
		if _, err := s.lab.Cluster(name); err != nil {
			return nil, "", "", err
		}
	}
	if a == b {
		return nil, "", "", fmt.Errorf("a link joins two different clusters, not %s with itself", a)
	}
	return plane.Underlay, a, b, nil
}

func (s *Server) renewNAT(w http.ResponseWriter, _ *http.Request) {
	plane, err := s.lab.Real()
	var address netip.Addr
	if err == nil {
		address, err = plane.RenewNAT()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	answer(w, address)
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // an error means that the client is gone
}

// Link returns the conditions of the link between two clusters.
func (c *Client) Link(ctx context.Context, a, b string) (underlay.Conditions, error) {
	var conditions underlay.Conditions
	err := c.exchange(ctx, http.MethodGet, linkPath(a, b), nil, &conditions)
	return conditions, err
}

// SetLink changes the link between two clusters.
func (c *Client) SetLink(ctx context.Context, a, b string, conditions underlay.Conditions) error {
	return c.exchange(ctx, http.MethodPut, linkPath(a, b), conditions, &conditions)
}

func linkPath(a, b string) string { return "/links/" + url.PathEscape(a) + "/" + url.PathEscape(b) }

// RenewNAT gives the NAT another address, and returns it.
func (c *Client) RenewNAT(ctx context.Context) (netip.Addr, error) {
	var address netip.Addr
	err := c.exchange(ctx, http.MethodPost, "/nat", nil, &address)
	return address, err
}
