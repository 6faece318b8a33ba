package kube

import (
	"context"
	"encoding/json"
	"time"

	"golang.org/x/sync/errgroup"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// crdKey is where the API server keeps the custom resource definitions in etcd.
const crdKey = "/registry/apiextensions.k8s.io/customresourcedefinitions/"

// crdInterval is the time between checks whether custom resources are served.
const crdInterval = 50 * time.Millisecond

func readCRDs(folder string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	options := envtest.CRDInstallOptions{Paths: []string{folder}, ErrorIfPathMissing: true}
	err := envtest.ReadCRDFiles(&options)
	return options.CRDs, err
}

// CRDs returns a copy of the chart's custom resource definitions.
func (c *Chart) CRDs() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	read, err := c.read()
	crds := make([]*apiextensionsv1.CustomResourceDefinition, len(read))
	for i, crd := range read {
		crds[i] = crd.DeepCopy()
	}
	return crds, err
}

// installCRDs writes Liqo's custom resource definitions into etcd before the API server starts, as if
// it had accepted them. If it gets them one by one, it prepares to serve all of them after each, which is
// half of its work until the cluster is ready.
func (c *Cluster) installCRDs(ctx context.Context) error {
	crds, err := c.Chart.CRDs()
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(applyAtOnce)
	for _, crd := range crds {
		group.Go(func() error {
			establish(crd)
			value, err := json.Marshal(crd)
			if err != nil {
				return err
			}
			return c.Etcd().Put(ctx, crdKey+crd.Name, value)
		})
	}
	return group.Wait()
}

// establish adds to a custom resource definition what the API server would add.
func establish(crd *apiextensionsv1.CustomResourceDefinition) {
	apiextensionsv1.SetDefaults_CustomResourceDefinition(crd)
	now := metav1.Now()
	crd.UID, crd.Generation, crd.CreationTimestamp = uuid.NewUUID(), 1, now
	crd.Status.AcceptedNames = crd.Spec.Names
	for kind, reason := range map[apiextensionsv1.CustomResourceDefinitionConditionType]string{
		apiextensionsv1.NamesAccepted: "NoConflicts", apiextensionsv1.Established: "InitialNamesAccepted",
	} {
		crd.Status.Conditions = append(crd.Status.Conditions, apiextensionsv1.CustomResourceDefinitionCondition{
			Type: kind, Status: apiextensionsv1.ConditionTrue, Reason: reason, LastTransitionTime: now,
		})
	}
}

// changeCRDs replaces the custom resource definitions by those of another version of Liqo, in the running API
// server.
func (c *Cluster) changeCRDs(ctx context.Context) error {
	crds, err := c.Chart.CRDs()
	if err != nil {
		return err
	}
	if err := envtest.CreateCRDs(c.config, crds); err != nil { // or updates them
		return err
	}
	return c.awaitCRDs(ctx)
}

// awaitCRDs waits until the API server serves Liqo's custom resources. Liqo's programs read the served
// kinds only once, when they start.
func (c *Cluster) awaitCRDs(context.Context) error {
	crds, err := c.Chart.CRDs()
	if err != nil {
		return err
	}
	return envtest.WaitForCRDs(c.config, crds, envtest.CRDInstallOptions{MaxTime: startTimeout, PollInterval: crdInterval})
}
