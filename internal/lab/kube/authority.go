package kube

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
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
	signer
	token  string
	folder string
}

func newAuthority(name string) (*authority, error) {
	s, err := newSigner(name + "-clients")
	return &authority{signer: s, token: rand.Text()}, err
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
	certificate, err := cert.EncodeCertificates(a.certificate)
	if err != nil {
		return err
	}
	// A line is a token, its user's name and UID, and its groups.
	line := fmt.Sprintf("%s,%s,%s,%s\n", a.token, adminName, adminName, adminGroup)
	return errors.Join(keyutil.WriteKey(a.keyFile(), key), cert.WriteCert(a.certFile(), certificate),
		os.WriteFile(a.tokenFile(), []byte(line), 0o600))
}

// authenticateProgram returns the credentials of the cluster's own programs. They are the administrator's.
func (a *authority) authenticateProgram(base *rest.Config) *rest.Config {
	config := rest.CopyConfig(base)
	config.CertData, config.KeyData, config.BearerToken = nil, nil, a.token
	return config
}

// AddUser implements envtest.Authn: it gives a user a certificate.
func (a *authority) AddUser(added envtest.User, base *rest.Config) (*rest.Config, error) {
	var err error
	config := rest.CopyConfig(base)
	config.CertData, config.KeyData, err = a.sign(user(added.Name, added.Groups...))
	return config, err
}

// Stop implements envtest.Authn. The files are removed with the cluster's folder.
func (a *authority) Stop() error { return nil }

// signer signs certificates with its own, which it has signed itself.
type signer struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newSigner(name string) (signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return signer{}, err
	}
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: name}, key)
	return signer{certificate, key}, err
}

// sign returns a certificate and its key, as PEM. The certificate is valid as long as the signer's own. The template
// has the subject, the usages and, of a server, the addresses.
func (s signer) sign(template x509.Certificate) (certificate, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template.NotBefore, template.NotAfter = s.certificate.NotBefore, s.certificate.NotAfter
	template.KeyUsage = x509.KeyUsageDigitalSignature
	signed, err := x509.CreateCertificate(rand.Reader, &template, s.certificate, private.Public(), s.key)
	if err != nil {
		return nil, nil, err
	}
	key, err = keyutil.MarshalPrivateKeyToPEM(private)
	return pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: signed}), key, err
}

// user returns the template of a user's certificate.
func user(name string, groups ...string) x509.Certificate {
	return x509.Certificate{
		Subject:     pkix.Name{CommonName: name, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
}
