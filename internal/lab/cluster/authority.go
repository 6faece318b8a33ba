package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

var _ envtest.Authn = &authority{}

// authority is the certificate authority that the API server trusts. Unlike envtest's own, it
// stores its key in a file. kube-controller-manager signs the requests of peered clusters with it.
//
// The cluster's own programs have a token instead of a certificate. The API server verifies the signature of
// a certificate again with every request, which is a twentieth of its work.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	token       string
	folder      string
}

func newAuthority(name string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: name + "-clients"}, key)
	return &authority{certificate: certificate, key: key, token: rand.Text()}, err
}

// certFile and keyFile return the files with the authority's certificate and key, after Configure.
func (a *authority) certFile() string { return filepath.Join(a.folder, "client-ca.crt") }
func (a *authority) keyFile() string  { return filepath.Join(a.folder, "client-ca.key") }

// tokenFile returns the file with the programs' token, after Configure.
func (a *authority) tokenFile() string { return filepath.Join(a.folder, "tokens.csv") }

// Configure implements envtest.Authn.
func (a *authority) Configure(folder string, args *envtest.Arguments) error {
	a.folder = folder
	args.Set("client-ca-file", a.certFile())
	args.Set("token-auth-file", a.tokenFile())
	return nil
}

// Start implements envtest.Authn: it writes the files that the API server and kube-controller-manager read.
func (a *authority) Start() error {
	key, err := keyutil.MarshalPrivateKeyToPEM(a.key)
	if err != nil {
		return err
	}
	if err := keyutil.WriteKey(a.keyFile(), key); err != nil {
		return err
	}
	certificate, err := cert.EncodeCertificates(a.certificate)
	if err != nil {
		return err
	}
	// A line is a token, its user's name and UID, and its groups.
	line := fmt.Sprintf("%s,%s,%s,%s\n", a.token, adminName, adminName, adminGroup)
	if err := os.WriteFile(a.tokenFile(), []byte(line), 0o600); err != nil {
		return err
	}
	return cert.WriteCert(a.certFile(), certificate)
}

// authenticateProgram returns the credentials of the cluster's own programs. They are the administrator's.
func (a *authority) authenticateProgram(base *rest.Config) *rest.Config {
	config := rest.CopyConfig(base)
	config.CertData, config.KeyData, config.BearerToken = nil, nil, a.token
	return config
}

// AddUser implements envtest.Authn: it gives a user a certificate that is valid as long as the
// authority's own.
func (a *authority) AddUser(user envtest.User, base *rest.Config) (*rest.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := x509.Certificate{
		Subject:     pkix.Name{CommonName: user.Name, Organization: user.Groups},
		NotBefore:   a.certificate.NotBefore,
		NotAfter:    a.certificate.NotAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	signed, err := x509.CreateCertificate(rand.Reader, &template, a.certificate, key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(signed)
	if err != nil {
		return nil, err
	}
	config := rest.CopyConfig(base)
	if config.CertData, err = cert.EncodeCertificates(certificate); err != nil {
		return nil, err
	}
	config.KeyData, err = keyutil.MarshalPrivateKeyToPEM(key)
	return config, err
}

// Stop implements envtest.Authn. The files are removed with the cluster's folder.
func (a *authority) Stop() error { return nil }
