package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

// leafAt returns a leaf whose API server is this one.
func leafAt(t *testing.T, address string, health *health) *Leaf {
	t.Helper()
	config, err := (access.Credentials{Host: address, Insecure: true}).RESTConfig()
	must(t, err)
	leaf, _, err := assemble("rome", config, nil, health, nil)
	must(t, err)
	return leaf
}

// endless answers without an end.
func endless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"apiVersion":"v1","kind":"List","items":[`)
	for noise := bytes.Repeat([]byte(" "), 1<<20); r.Context().Err() == nil; {
		if _, err := w.Write(noise); err != nil {
			return
		}
	}
}

func TestAnAnswerThatDoesNotEndIsCutOff(t *testing.T) {
	health := newHealth()
	err := leafAt(t, serveTLS(t, endless).URL, health).List(t.Context(), &corev1.PodList{})
	if err == nil || !strings.Contains(err.Error(), `leaf "rome": the API server answers too much`) ||
		!strings.Contains(err.Error(), "GET /api/v1/pods has more than 32 MiB") || Lost(err) {
		t.Errorf("got %v", err)
	}
	if health.err() != nil {
		t.Errorf("the leaf is given up: %v", health.err())
	}
}

func TestALeafWhoseWatchSendsTooMuchIsGivenUp(t *testing.T) {
	server, health := serveTLS(t, endless), newHealth()
	transport := &limited{transport: server.Client().Transport, answer: 1 << 20, watch: 2 << 20, broken: health.giveUp}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1/pods?watch=true",
		http.NoBody)
	must(t, err)
	response, err := transport.RoundTrip(request)
	must(t, err)
	defer response.Body.Close()
	read, err := io.Copy(io.Discard, response.Body)
	if err == nil || read > 2<<20 || !errors.Is(health.err(), err) ||
		!strings.Contains((&Leaf{Name: "rome"}).Explain(health.err()).Error(), "GET /api/v1/pods has more than 2 MiB") {
		t.Errorf("it sent %d bytes: %v, and the leaf: %v", read, err, health.err())
	}
}

func TestAListComesInPages(t *testing.T) {
	const count = 1200
	var requests []string
	server := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r.URL.RawQuery)
		var from int
		_, _ = fmt.Sscanf(r.URL.Query().Get("continue"), "from-%d", &from)
		page := corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
		for i := from; i < min(from+pageSize, count); i++ {
			page.Items = append(page.Items, corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(i)}})
		}
		if from+pageSize < count {
			page.Continue = fmt.Sprintf("from-%d", from+pageSize)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(page)
	})
	var list corev1.PodList
	must(t, leafAt(t, server.URL, newHealth()).List(t.Context(), &list))
	if len(requests) != 3 || len(list.Items) != count || list.Items[0].Name != "0" || list.Items[count-1].Name != "1199" {
		t.Errorf("%d pods, after the requests %q", len(list.Items), requests)
	}
}
