// Package control lets other processes observe and change a running lab, with HTTP over a unix
// socket in the lab's folder.
package control

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// Status is the state of a lab at one moment.
type Status struct {
	labdir.State
	// PID is the lab's process.
	PID int `json:"pid"`
	// Health has an entry for each cluster, in the order of Clusters.
	Health []kube.Health `json:"health"`
}

// shutdownTimeout limits how long open requests can delay the end of a lab.
const shutdownTimeout = 2 * time.Second

// Server serves the control of one lab.
type Server struct {
	lab  *lab.Lab
	stop func()
	pid  int
}

// Serve serves until end is called. That closes the listener and returns when all earlier requests
// have their answers. Stop is called when a client requests the lab's end. It may call end at any
// time.
func Serve(listener net.Listener, l *lab.Lab, pid int, stop func()) (end func()) {
	s := &Server{lab: l, stop: stop, pid: pid}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", s.status)
	mux.HandleFunc("POST /stop", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		stop()
	})
	mux.HandleFunc("POST /clusters/{cluster}/apiserver/stop", s.onCluster(func(
		ctx context.Context, c *kube.Cluster, _ *http.Request,
	) error {
		return c.StopAPIServer(ctx)
	}))
	mux.HandleFunc("POST /clusters/{cluster}/apiserver/start", s.onCluster(func(
		ctx context.Context, c *kube.Cluster, _ *http.Request,
	) error {
		return c.StartAPIServer(ctx)
	}))
	mux.HandleFunc("PUT /clusters/{cluster}/settings/{key}", s.onCluster(func(
		ctx context.Context, c *kube.Cluster, r *http.Request,
	) error {
		return c.Set(ctx, r.PathValue("key"), r.FormValue("value"))
	}))
	s.handlePlaces(mux)
	mux.HandleFunc("GET /links/{a}/{b}", s.link)
	mux.HandleFunc("PUT /links/{a}/{b}", s.setLink)
	mux.HandleFunc("POST /nat", s.renewNAT)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: timeout}
	go func() { _ = server.Serve(listener) }() // it ends with an error in any case: the server was closed
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close() // the lab ends, whoever still waits for an answer
		}
	}
}

func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	status := Status{State: s.lab.State(), PID: s.pid}
	for _, described := range status.Clusters {
		c, err := s.lab.Cluster(described.Name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		status.Health = append(status.Health, c.Health(r.Context()))
	}
	answer(w, status)
}

// onCluster answers a request with the result of do for the cluster in its path. The work continues
// if the client leaves, because half a change would be worse.
func (s *Server) onCluster(do func(context.Context, *kube.Cluster, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := s.lab.Cluster(r.PathValue("cluster"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		if err := do(context.WithoutCancel(r.Context()), c, r); err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		}
	}
}
