package kube

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

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
	parsed, err := x509.ParseCertificate(signed)
	if err != nil {
		return nil, nil, err
	}
	if certificate, err = cert.EncodeCertificates(parsed); err != nil {
		return nil, nil, err
	}
	key, err = keyutil.MarshalPrivateKeyToPEM(private)
	return certificate, key, err
}

// user returns the template of a user's certificate.
func user(name string, groups ...string) x509.Certificate {
	return x509.Certificate{
		Subject:     pkix.Name{CommonName: name, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
}
