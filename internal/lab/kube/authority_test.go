package kube

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func TestTheAuthorityLeavesTheKeyThatItsUsersAreSignedWith(t *testing.T) {
	authority, err := newAuthority("rome")
	if err != nil {
		t.Fatal(err)
	}
	arguments := envtest.EmptyArguments()
	if err := authority.Configure(t.TempDir(), arguments); err != nil {
		t.Fatal(err)
	}
	if err := authority.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := tls.LoadX509KeyPair(authority.certFile(), authority.keyFile()); err != nil {
		t.Errorf("the files do not belong together: %v", err)
	}
	if got := arguments.Get("client-ca-file").Get(nil); len(got) != 1 || got[0] != authority.certFile() {
		t.Errorf("the API server is told %q", got)
	}

	line, err := os.ReadFile(arguments.Get("token-auth-file").Get(nil)[0])
	program := authority.authenticateProgram(&rest.Config{TLSClientConfig: rest.TLSClientConfig{CertData: []byte("any")}})
	want := program.BearerToken + ",admin,admin,system:masters\n"
	if err != nil || string(line) != want || program.BearerToken == "" || program.CertData != nil {
		t.Errorf("the programs' token is stored as %q, %v, not %q", line, err, want)
	}

	config, err := authority.AddUser(envtest.User{Name: "admin", Groups: []string{"system:masters"}}, &rest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(config.CertData, config.KeyData)
	if err != nil {
		t.Fatal(err)
	}
	roots, err := cert.NewPool(authority.certFile())
	if err != nil {
		t.Fatal(err)
	}
	options := x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if _, err := pair.Leaf.Verify(options); err != nil {
		t.Error(err)
	}
	s := pair.Leaf.Subject
	if s.CommonName != "admin" || len(s.Organization) != 1 || s.Organization[0] != "system:masters" {
		t.Errorf("the user is %s", s)
	}
}
