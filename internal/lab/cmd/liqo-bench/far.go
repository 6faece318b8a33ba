package main

import (
	"errors"
	"net/url"
	"path/filepath"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/relay"
)

// far is the way to the clusters of a lab as if they were far away.
type far struct {
	kubeconfig string
	relays     []*relay.Relay
}

// moveAway starts a relay for each cluster of a kubeconfig, and writes a kubeconfig that leads
// through them.
func (b *bench) moveAway(kubeconfig string) (_ *far, err error) {
	f := &far{kubeconfig: filepath.Join(b.dir, "far")}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	config, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		return nil, err
	}
	for _, cluster := range config.Clusters {
		server, err := url.Parse(cluster.Server)
		if err != nil {
			return nil, err
		}
		between, err := relay.Start(server.Host, 0)
		if err != nil {
			return nil, err
		}
		f.relays = append(f.relays, between)
		server.Host = between.Address()
		cluster.Server = server.String()
	}
	return f, clientcmd.WriteToFile(*config, f.kubeconfig)
}

// setDelay sets how long everything takes between here and each cluster, one way.
func (f *far) setDelay(delay time.Duration) {
	for _, between := range f.relays {
		between.Set(relay.Conditions{Delay: delay})
	}
}

func (f *far) close() error {
	var errs []error
	for _, between := range f.relays {
		errs = append(errs, between.Close())
	}
	return errors.Join(errs...)
}
