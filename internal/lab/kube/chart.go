package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/releaseutil"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

// applyAtOnce is the number of objects of the chart that are applied in parallel.
const applyAtOnce = 8

// Chart is Liqo's Helm chart with its custom resource definitions. It is safe for concurrent use.
type Chart struct {
	folder string
	// read returns the custom resource definitions. It reads them once, because that takes 0.2 seconds.
	read func() ([]*apiextensionsv1.CustomResourceDefinition, error)
	// rendered has a function for each Spec, which renders all objects once.
	rendered sync.Map
}

// LoadChart finds the chart in the folder of Liqo's module of any version.
func LoadChart(module string) *Chart {
	folder := filepath.Join(module, "deployments", "liqo")
	return &Chart{folder: folder, read: sync.OnceValues(func() ([]*apiextensionsv1.CustomResourceDefinition, error) {
		options := envtest.CRDInstallOptions{
			Paths: []string{filepath.Join(folder, "charts", "liqo-crds", "crds")}, ErrorIfPathMissing: true,
		}
		err := envtest.ReadCRDFiles(&options)
		return options.CRDs, err
	})}
}

// Render returns the chart's objects for a cluster as Helm would install them, but without its
// hooks and without objects that run containers.
func (c *Chart) Render(spec Spec) ([]*unstructured.Unstructured, error) {
	objects, err := c.render(spec)
	for _, obj := range objects {
		if obj.GetKind() == "VkOptionsTemplate" {
			// Virtual kubelets would serve theirs to other machines, because they run on this one.
			if err := unstructured.SetNestedField(obj.Object, false, "spec", "metricsEnabled"); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(objects, runs), err
}

// render returns a copy of all objects of the chart but its hooks. It renders them once for each spec, because each
// program of a cluster needs them.
func (c *Chart) render(spec Spec) ([]*unstructured.Unstructured, error) {
	once, _ := c.rendered.LoadOrStore(spec, sync.OnceValues(func() ([]*unstructured.Unstructured, error) {
		return c.renderOnce(spec)
	}))
	rendered, err := once.(func() ([]*unstructured.Unstructured, error))() //nolint:errcheck,forcetypeassert // as stored
	objects := make([]*unstructured.Unstructured, len(rendered))
	for i, obj := range rendered {
		objects[i] = obj.DeepCopy()
	}
	return objects, err
}

func (c *Chart) renderOnce(spec Spec) ([]*unstructured.Unstructured, error) {
	loaded, err := loader.Load(c.folder)
	if err != nil {
		return nil, err
	}
	values, err := values(loaded, spec)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(loaded, values)
	if err != nil {
		return nil, err
	}
	// The other files are notes for people, and parts that these files include.
	maps.DeleteFunc(files, func(name, _ string) bool { return !strings.HasSuffix(name, ".yaml") })
	_, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, manifest := range manifests {
		var obj unstructured.Unstructured
		if err := yaml.Unmarshal([]byte(manifest.Content), &obj.Object); err != nil {
			return nil, fmt.Errorf("%s: %w", manifest.Name, err)
		}
		if len(obj.Object) > 0 {
			objects = append(objects, &obj)
		}
	}
	return objects, nil
}

func values(loaded *chart.Chart, spec Spec) (chartutil.Values, error) {
	values := map[string]any{
		"tag":       string(spec.Liqo.Version),
		"discovery": map[string]any{"config": map[string]any{"clusterID": spec.Name}},
		"ipam": map[string]any{
			"podCIDR":      spec.PodCIDR.String(),
			"serviceCIDR":  spec.ServiceCIDR.String(),
			"externalCIDR": spec.ExternalCIDR.String(),
		},
		"networking": map[string]any{
			"gatewayTemplates": map[string]any{"wireguard": map[string]any{"implementation": "userspace"}},
		},
		// The virtual kubelets of all clusters share one machine. Each takes a free port, and none
		// leaves a certificate in /tmp/certs.
		"virtualKubelet": map[string]any{
			"extra": map[string]any{"args": []any{"--listen-port=0", "--certificate-type=self-signed"}},
		},
		// Liqo's node controller needs the Deployment, and so does everyone who reads Liqo's
		// version. But the lab runs the program itself.
		"controllerManager": map[string]any{"replicas": float64(0)},
		"metrics":           map[string]any{"enabled": spec.Metrics},
	}
	if err := chartutil.ProcessDependencies(loaded, values); err != nil {
		return nil, err
	}
	release := chartutil.ReleaseOptions{Name: "liqo", Namespace: liqoNamespace, IsInstall: true, Revision: 1}
	return chartutil.ToRenderValues(loaded, values, release, chartutil.DefaultCapabilities)
}

// runs reports whether an object of the chart runs containers, or is useless without one that does.
func runs(obj *unstructured.Unstructured) bool {
	switch obj.GetKind() {
	case "DaemonSet", "Job", "CronJob", "APIService":
		return true
	case "Deployment":
		return obj.GetName() != "liqo-controller-manager"
	case "Secret": // with it, the webhook would make certificates of its own and write them over the lab's
		return strings.HasPrefix(obj.GetName(), "liqo-webhook")
	}
	return false
}

// installChart applies the chart without its webhooks, because their address is not known yet.
func (c *Cluster) installChart(ctx context.Context) error {
	objects, err := c.Chart.Render(c.Spec)
	if err != nil {
		return err
	}
	namespaces := []string{liqoNamespace}
	for _, obj := range objects {
		if ns := obj.GetNamespace(); ns != "" && !slices.Contains(namespaces, ns) {
			namespaces = append(namespaces, ns)
		}
	}
	for _, name := range namespaces {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if err := client.IgnoreAlreadyExists(c.client.Create(ctx, namespace)); err != nil {
			return err
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(applyAtOnce)
	for _, obj := range objects {
		if strings.HasSuffix(obj.GetKind(), "WebhookConfiguration") {
			continue
		}
		group.Go(func() error {
			if err := c.apply(ctx, obj); err != nil {
				return fmt.Errorf("%s %s: %w", obj.GetKind(), obj.GetName(), err)
			}
			return nil
		})
	}
	return group.Wait()
}

// apply writes an object of the chart as Helm does.
func (c *Cluster) apply(ctx context.Context, obj *unstructured.Unstructured) error {
	mapping, err := c.client.RESTMapper().RESTMapping(obj.GroupVersionKind().GroupKind(), obj.GroupVersionKind().Version)
	if err != nil {
		return err
	}
	if obj.GetNamespace() == "" && mapping.Scope.Name() == "namespace" {
		obj.SetNamespace(liqoNamespace)
	}
	return c.client.Apply(
		ctx, client.ApplyConfigurationFromUnstructured(obj), client.FieldOwner("helm"), client.ForceOwnership,
	)
}

// crdKey is where the API server keeps the custom resource definitions in etcd.
const crdKey = "/registry/apiextensions.k8s.io/customresourcedefinitions/"

// crdInterval is the time between checks whether custom resources are served.
const crdInterval = 50 * time.Millisecond

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
			return c.Etcd.Put(ctx, crdKey+crd.Name, value)
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
