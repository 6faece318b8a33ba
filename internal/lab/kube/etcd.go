package kube

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// configureEtcd chooses ports for etcd, and lets only those in who have a certificate: whoever writes there, or could
// pretend to be another member, may do everything in the cluster. The files of the certificate are in a folder of the
// lab's user. Envtest asks etcd for its health without a certificate, at the address of its metrics. The lab's own
// requests, which are not gRPC, have another address than the API server's: where etcd serves both, gRPC takes a fifth
// more CPU time.
func (c *Cluster) configureEtcd(data, certificates string, log *os.File) error {
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	address, gateway, health := addressAt("https", ports[0]), addressAt("https", ports[1]), addressAt("http", ports[2])
	c.Etcd = labdir.Etcd{
		Address: gateway.String(), CAFile: filepath.Join(certificates, "etcd-ca.crt"),
		CertFile: filepath.Join(certificates, "etcd.crt"), KeyFile: filepath.Join(certificates, "etcd.key"),
	}
	if err := writeEtcdCertificate(c.Name, c.Etcd); err != nil {
		return err
	}
	c.plane.Etcd = &envtest.Etcd{
		Path: c.Programs[binaries.Etcd.Name], DataDir: data, Out: log, Err: log, StartTimeout: startTimeout, URL: health,
	}
	arguments := c.plane.Etcd.Configure()
	arguments.
		Set("listen-client-urls", address.String()).Set("advertise-client-urls", address.String()).
		Set("listen-client-http-urls", gateway.String()).
		// It has no other member that needs to hear of it every 100 ms.
		Set("heartbeat-interval", "500").Set("election-timeout", "5000").
		Set("listen-peer-urls", "https://"+net.JoinHostPort(loopback, "0")).
		Set("listen-metrics-urls", health.String())
	for _, of := range []string{"", "peer-"} {
		arguments.
			Set(of+"trusted-ca-file", c.Etcd.CAFile).Set(of+"cert-file", c.Etcd.CertFile).
			Set(of+"key-file", c.Etcd.KeyFile).Set(of+"client-cert-auth", "true")
	}
	c.plane.APIServer.EtcdURL = address
	c.plane.APIServer.Configure().
		Set("etcd-cafile", c.Etcd.CAFile).Set("etcd-certfile", c.Etcd.CertFile).Set("etcd-keyfile", c.Etcd.KeyFile)
	return nil
}

// addressAt returns the address of a port of this machine.
func addressAt(scheme string, port int) *url.URL {
	return &url.URL{Scheme: scheme, Host: net.JoinHostPort(loopback, strconv.Itoa(port))}
}

// writeEtcdCertificate writes the one certificate that etcd shows, and that it asks for.
func writeEtcdCertificate(name string, to labdir.Etcd) error {
	s, err := newSigner(name + "-etcd")
	if err != nil {
		return err
	}
	certificate, key, err := s.sign(x509.Certificate{
		Subject: pkix.Name{CommonName: name + "-etcd"}, IPAddresses: []net.IP{net.ParseIP(loopback)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return err
	}
	authority, err := cert.EncodeCertificates(s.certificate)
	return errors.Join(err, cert.WriteCert(to.CAFile, authority),
		cert.WriteCert(to.CertFile, certificate), keyutil.WriteKey(to.KeyFile, key))
}
