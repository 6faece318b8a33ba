package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The most that a leaf may answer, in bytes. A leaf must not take the process along that also works for all other
// leaves. Liqo's objects have a few KiB, and lists come in pages, see [paged]. A watch lasts as long as the process.
const (
	maxAnswer = 32 << 20
	maxWatch  = 256 << 20
)

// answerTooLargeError means that a leaf has answered with more than it may.
type answerTooLargeError struct {
	what  string // the method and path of the request
	limit int64  // in bytes
}

// Error names the request and the limit.
func (e *answerTooLargeError) Error() string {
	return fmt.Sprintf("the answer to %s has more than %d MiB", e.what, e.limit>>20)
}

// limited is a transport that ends answers that are too large.
type limited struct {
	transport     http.RoundTripper
	answer, watch int64 // limits in bytes
	// broken is called for a watch, because client-go hides the error of its answer.
	broken func(error)
}

func limitAnswers(broken func(error)) func(http.RoundTripper) http.RoundTripper {
	return func(transport http.RoundTripper) http.RoundTripper {
		return &limited{transport, maxAnswer, maxWatch, broken}
	}
}

// RoundTrip implements [http.RoundTripper].
func (l *limited) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	tooLarge := &answerTooLargeError{what: request.Method + " " + request.URL.Path, limit: l.answer}
	body := &limitedBody{ReadCloser: response.Body, tooLarge: tooLarge, broken: func(error) {}}
	if request.URL.Query().Get("watch") != "" {
		tooLarge.limit, body.broken = l.watch, l.broken
	}
	body.left = tooLarge.limit
	response.Body = body
	return response, nil
}

// limitedBody is the body of an answer. One goroutine reads it.
type limitedBody struct {
	io.ReadCloser

	left     int64
	tooLarge *answerTooLargeError
	broken   func(error)
}

// Read implements [io.Reader].
func (b *limitedBody) Read(into []byte) (int, error) {
	if b.left < 0 {
		return 0, b.tooLarge
	}
	n, err := b.ReadCloser.Read(into)
	if b.left -= int64(n); b.left < 0 {
		b.broken(b.tooLarge)
		return 0, b.tooLarge
	}
	return n, err
}

// pageSize is the number of objects that one answer to a list has at most, as for kubectl.
const pageSize = 500

// paged is a client whose lists come in pages. A list that changes so fast that its pages expire is an error, as it is
// for a list that can't be read for another reason.
type paged struct{ client.WithWatch }

// List implements [client.Reader].
func (p paged) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	var items []runtime.Object
	for next := ""; ; {
		page := slices.Concat(options, []client.ListOption{client.Limit(pageSize), client.Continue(next)})
		if err := p.WithWatch.List(ctx, list, page...); err != nil {
			return err
		}
		if next = list.GetContinue(); next == "" && items == nil {
			return nil
		}
		more, err := meta.ExtractList(list)
		if err != nil {
			return err
		}
		if items = append(items, more...); next == "" {
			return meta.SetList(list, items)
		}
		if err := meta.SetList(list, nil); err != nil {
			return err
		}
	}
}
