package peerings

import (
	"encoding/base64"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccTheLeavesAreReachedThroughTheCentreWhichHasCredentialsForThem(t *testing.T) {
	l := acctest.Borrow(t, peered)
	powerless := l.NewProject(t, acctest.Root+"/examples/credentials-from")
	powerless.Set("KUBE_CONFIG_PATH", l.Cluster(t, "europe").Kubeconfig)
	powerless.Run("init")
	acctest.Says(t, powerless.Refused("plan"), "No permission to", `The credentials of this leaf come from "europe"`,
		`Give user "europe"`, "guides/permissions#credentials-from-the-central-cluster")

	for _, leaf := range []string{"rome", "milan"} {
		l.Limit(t, leaf, "europe")
		for _, object := range acctest.RolesIn(t, "shortcuts", "central-cluster") {
			l.Have(t, leaf, object)
		}
	}
	p := l.Example(t, "credentials-from")
	europe := l.ReachedAs(t, "europe", "terraform", acctest.RolesIn(t, "plans", "credentials-from"))
	config := clientcmdapi.NewConfig()
	config.Clusters["europe"] = &clientcmdapi.Cluster{
		Server: europe.Host, CertificateAuthorityData: []byte(europe.ClusterCACertificate),
	}
	config.AuthInfos["europe"] = &clientcmdapi.AuthInfo{Token: europe.Token}
	config.Contexts["europe"] = &clientcmdapi.Context{Cluster: "europe", AuthInfo: "europe"}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	acctest.Must(t, clientcmd.WriteToFile(*config, kubeconfig))
	p.Set("KUBE_CONFIG_PATH", kubeconfig)
	p.Apply()
	p.IsConnected()

	t.Log("The key that the centre has for a leaf is not written.")
	secret := acctest.Get[corev1.Secret](t, l, "europe", "liqo-tenant-rome", "kubeconfig-controlplane-rome")
	identity, err := clientcmd.Load(secret.Data["kubeconfig"])
	acctest.Must(t, err)
	for _, user := range identity.AuthInfos {
		acctest.InNone(t, acctest.FilesIn(t, p.Dir), map[string][]byte{
			"the key of the Identity": acctest.Middle(string(user.ClientKeyData)),
			"the same in base64":      acctest.Middle(base64.StdEncoding.EncodeToString(user.ClientKeyData)),
		})
	}

	p.ReplaceIn("main.tf",
		`rome   = { credentials_from = "europe" }`, `rome = { credentials_from = "europe", cluster_id = "roma" }`)
	acctest.Says(t, p.Run("plan"), `Warning: "europe" has no credentials for it on leaf "rome"`,
		`no Identity for a cluster with the ID "roma"; it has them for "milan", "rome"`, "Set `cluster_id`")
	p.ReplaceIn("main.tf", `cluster_id = "roma" }`, `cluster_id = "rome" }`)
	p.ReplaceIn("main.tf", `server = "milan"`, `server = "milan"
		mtu = 1400`)
	acctest.Says(t, p.Run("apply", "-auto-approve"), acctest.InPlace)
	p.Run("plan", "-detailed-exitcode")
	p.Run("destroy", "-auto-approve")
}
