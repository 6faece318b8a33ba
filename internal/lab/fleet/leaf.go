package fleet

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// leaf is the API server of one leaf.
type leaf struct {
	served

	name  string
	token string // of its only user
	store *store

	mu       sync.Mutex
	requests map[Request]int
}

// Request is a kind of request to a leaf.
type Request struct{ Leaf, Verb, Resource string }

// ServeHTTP implements [http.Handler].
func (l *leaf) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	if request.Header.Get("Authorization") != "Bearer "+l.token {
		l.fail(answer, apierrors.NewUnauthorized("Unauthorized"))
		return
	}
	asked, err := l.resources.newQuery(request)
	switch {
	case err != nil:
		l.fail(answer, err)
	case asked == nil:
		l.count("get", request.URL.Path)
		l.discover(answer, request)
	default:
		l.count(asked.Verb, asked.Resource)
		if err := l.serve(answer, request, asked); err != nil {
			l.fail(answer, err)
		}
	}
}

func (l *leaf) count(verb, resource string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests[Request{l.name, verb, resource}]++
}

// serve answers a request for objects.
func (l *leaf) serve(answer http.ResponseWriter, request *http.Request, asked *query) error {
	var one object
	var err error
	status := http.StatusOK
	switch asked.Verb {
	case "watch":
		return l.serveWatch(answer, request, asked)
	case "list":
		l.send(answer, http.StatusOK, asked.list(l.store.list(asked.resource, asked.selects)))
		return nil
	case "get":
		one, err = l.store.get(asked.resource, asked.key())
	case "create":
		one, err = l.create(request, asked)
		status = http.StatusCreated
	case "update":
		one, err = l.update(request, asked)
	case "patch":
		one, status, err = l.patch(request, asked)
	case "delete":
		one, err = l.delete(request, asked)
	default:
		err = apierrors.NewMethodNotSupported(asked.resource.GroupResource(), asked.Verb)
	}
	if err != nil {
		return err
	}
	l.send(answer, status, asked.shape(one))
	return nil
}

// discover answers a request for what the leaf serves.
func (l *leaf) discover(answer http.ResponseWriter, request *http.Request) {
	if strings.HasPrefix(request.URL.Path, schemaPath) {
		l.schemas.ServeHTTP(answer, request)
		return
	}
	path := strings.Trim(request.URL.Path, "/")
	gv, err := schema.ParseGroupVersion(strings.TrimPrefix(strings.TrimPrefix(path, "apis/"), "api/"))
	if served := l.resources.in(gv); err == nil && served != nil {
		l.send(answer, http.StatusOK, served)
		return
	}
	switch path {
	case "version":
		l.send(answer, http.StatusOK, version.Info{Major: "1", Minor: "35", GitVersion: "v1.35.4"})
	case "api":
		l.send(answer, http.StatusOK, &metav1.APIVersions{
			TypeMeta: metav1.TypeMeta{Kind: "APIVersions", APIVersion: "v1"}, Versions: []string{v1.Version},
		})
	case "apis":
		l.send(answer, http.StatusOK, l.resources.groups())
	default:
		l.fail(answer, apierrors.NewNotFound(schema.GroupResource{}, path))
	}
}

func (l *leaf) fail(answer http.ResponseWriter, err error) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		status = apierrors.NewInternalError(err)
	}
	said := status.Status()
	said.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	l.send(answer, int(said.Code), said)
}

func (*leaf) send(answer http.ResponseWriter, status int, content any) {
	answer.Header().Set("Content-Type", "application/json")
	answer.WriteHeader(status)
	_ = json.NewEncoder(answer).Encode(content) // fails if the client is gone
}
