package fleet

import (
	"net/http"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/handler3"
	"k8s.io/kube-openapi/pkg/spec3"
)

// schemas serves the OpenAPI schemas of custom resources, from which clients see what a version of Liqo can do.
type schemas struct{ *handler3.OpenAPIService }

// schemaPath is where API servers list their schemas.
const schemaPath = "/openapi/v3"

func newSchemas(crds []*apiextensionsv1.CustomResourceDefinition) (*schemas, error) {
	groups := map[schema.GroupVersion][]*spec3.OpenAPI{}
	for _, crd := range crds {
		for _, version := range crd.Spec.Versions {
			document, err := builder.BuildOpenAPIV3(crd, version.Name, builder.Options{})
			if err != nil {
				return nil, err
			}
			gv := schema.GroupVersion{Group: crd.Spec.Group, Version: version.Name}
			groups[gv] = append(groups[gv], document)
		}
	}
	all := &schemas{handler3.NewOpenAPIService()}
	for gv, documents := range groups {
		merged, err := builder.MergeSpecsV3(documents...)
		if err != nil {
			return nil, err
		}
		all.UpdateGroupVersion("apis/"+gv.String(), merged)
	}
	return all, nil
}

// ServeHTTP implements [http.Handler].
func (s *schemas) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	if strings.TrimSuffix(request.URL.Path, "/") == schemaPath {
		s.HandleDiscovery(answer, request)
		return
	}
	s.HandleGroupVersion(answer, request)
}
