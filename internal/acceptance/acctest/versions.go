package acctest

// A version of Liqo supports the last three minor versions of Kubernetes when it is released: from 1.30 for Liqo 1.0.0
// to 1.36 for Liqo 1.2.0.
const (
	OldestKubernetes = "v1.30.4"
	NewestKubernetes = "v1.36.3"
)
