package control

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fault"
)

// Place says where a pod or a node is.
type Place struct {
	// PID is the process that holds its network.
	PID int `json:"pid"`
	// Device is a pod's device in its node.
	Device string `json:"device,omitempty"`
}

// Device is a change of devices.
type Device struct {
	// Name may end in a star.
	Name string `json:"name"`
	Up   bool   `json:"up"`
}

func (s *Server) place(w http.ResponseWriter, r *http.Request) {
	plane, err := s.lab.Real()
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	found, err := plane.Place(r.PathValue("place"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	answer(w, Place{PID: found.PID, Device: found.Device})
}

// onFaults answers a request to change the faults of the place in its path. The body is a T.
func onFaults[T any](s *Server, change func(*fault.Faults, T) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		plane, err := s.lab.Real()
		var faults *fault.Faults
		if err == nil {
			faults, err = plane.Faults(r.PathValue("place"))
		}
		var wanted T
		if err == nil {
			err = json.NewDecoder(r.Body).Decode(&wanted)
		}
		if err == nil {
			err = change(faults, wanted)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		answer(w, struct{}{})
	}
}

// handlePlaces adds what concerns pods and nodes.
func (s *Server) handlePlaces(mux *http.ServeMux) {
	mux.HandleFunc("GET /places/{place}", s.place)
	mux.HandleFunc("POST /places/{place}/drops", onFaults(s, (*fault.Faults).Drop))
	mux.HandleFunc("POST /places/{place}/unroutes", onFaults(s, (*fault.Faults).Unroute))
	mux.HandleFunc("POST /places/{place}/devices", onFaults(s, func(f *fault.Faults, d Device) error {
		return f.SetDevice(d.Name, d.Up)
	}))
	mux.HandleFunc("POST /places/{place}/mend", onFaults(s, func(f *fault.Faults, _ struct{}) error { return f.Mend() }))
}

// Place returns where a pod or a node is. Its name is cluster/namespace/name or cluster/name.
func (c *Client) Place(ctx context.Context, name string) (Place, error) {
	var found Place
	err := c.exchange(ctx, http.MethodGet, "/places/"+url.PathEscape(name), nil, &found)
	return found, err
}

// Drop drops the packets at a place that match.
func (c *Client) Drop(ctx context.Context, place string, match fault.Match) error {
	return c.change(ctx, place, "drops", match)
}

// Unroute makes a place behave as if it had no route to a network.
func (c *Client) Unroute(ctx context.Context, place string, to netip.Prefix) error {
	return c.change(ctx, place, "unroutes", to)
}

// SetDevice sets devices of a place up or down.
func (c *Client) SetDevice(ctx context.Context, place string, device Device) error {
	return c.change(ctx, place, "devices", device)
}

// Mend removes all faults of a place.
func (c *Client) Mend(ctx context.Context, place string) error {
	return c.change(ctx, place, "mend", struct{}{})
}

func (c *Client) change(ctx context.Context, place, kind string, wanted any) error {
	return c.exchange(ctx, http.MethodPost, "/places/"+url.PathEscape(place)+"/"+kind, wanted, &struct{}{})
}
