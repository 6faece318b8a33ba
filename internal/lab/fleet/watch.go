package fleet

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// watcher gets the changes that it selects. Nobody who writes waits for it.
type watcher struct {
	selected func(change) (watch.EventType, bool)

	mu      sync.Mutex
	waiting []change
	more    chan struct{} // has an element while there may be events that wait
}

// watch returns the objects that are there, and a watcher of what changes after that. It ends with the context.
func (s *store) watch(
	ctx context.Context, r *resource, version string, selected func(object) bool,
) (*watcher, []object, string, error) {
	w := &watcher{more: make(chan struct{}, 1), selected: func(c change) (watch.EventType, bool) {
		if c.resource != r {
			return "", false
		}
		return seen(c, selected)
	}}
	s.mu.Lock()
	defer s.mu.Unlock()
	var there []object
	switch since, err := strconv.ParseInt(version, 10, 64); {
	case version == "" || version == "0":
		there = s.selection(r, selected)
	case err != nil:
		return nil, nil, "", apierrors.NewBadRequest("resourceVersion: " + err.Error())
	case len(s.history) > 0 && since < s.history[0].version-1:
		return nil, nil, "", apierrors.NewResourceExpired("too old resource version: " + version)
	default:
		for _, c := range s.history {
			if c.version > since {
				w.notify(c)
			}
		}
	}
	s.subscribe(ctx, w)
	return w, there, s.currentVersion(), nil
}

// watchAll returns a watcher of all changes.
func (s *store) watchAll(ctx context.Context) *watcher {
	w := &watcher{
		more: make(chan struct{}, 1), selected: func(c change) (watch.EventType, bool) { return c.event, true },
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subscribe(ctx, w)
	return w
}

func (s *store) subscribe(ctx context.Context, w *watcher) {
	s.watchers[w] = struct{}{}
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, w)
	})
}

// seen returns what someone sees of a change who sees only the selected objects: one that is no longer selected is
// gone, and one that is selected now is new.
func seen(c change, selected func(object) bool) (watch.EventType, bool) {
	before, now := c.former.contents != nil && selected(c.former), selected(c.object)
	switch {
	case c.event == watch.Deleted:
		return watch.Deleted, before
	case before && now:
		return watch.Modified, true
	case now:
		return watch.Added, true
	default:
		return watch.Deleted, before
	}
}

func (w *watcher) notify(c change) {
	var ok bool
	if c.event, ok = w.selected(c); !ok {
		return
	}
	w.mu.Lock()
	w.waiting = append(w.waiting, c)
	w.mu.Unlock()
	select {
	case w.more <- struct{}{}:
	default:
	}
}

// next returns the events since the last call, of which there is at least one. It returns nil when the context ends.
func (w *watcher) next(ctx context.Context) []change {
	for {
		if waiting := w.take(); len(waiting) > 0 {
			return waiting
		}
		select {
		case <-w.more:
		case <-ctx.Done():
			return nil
		}
	}
}

// take returns the events since the last call.
func (w *watcher) take() []change {
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting := w.waiting
	w.waiting = nil
	return waiting
}

// serveWatch sends a client what changes until it goes or its time is over.
func (l *leaf) serveWatch(answer http.ResponseWriter, request *http.Request, asked *query) error {
	ctx := request.Context()
	if seconds := asked.options.TimeoutSeconds; seconds != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(*seconds)*time.Second)
		defer cancel()
	}
	watcher, there, version, err := l.store.watch(ctx, asked.resource, asked.since(), asked.selects)
	if err != nil {
		return err
	}
	answer.Header().Set("Content-Type", "application/json")
	stream := &stream{json.NewEncoder(answer), http.NewResponseController(answer), asked}
	// An error means that the client is gone, whom nothing can be told any more.
	if stream.begin(there, version) == nil {
		stream.follow(ctx, watcher)
	}
	return nil
}

// stream is the answer to a watch.
type stream struct {
	*json.Encoder
	*http.ResponseController

	asked *query
}

func (s *stream) send(kind watch.EventType, object json.RawMessage) error {
	return s.Encode(struct {
		Type   watch.EventType `json:"type"`
		Object json.RawMessage `json:"object"`
	}{kind, object})
}

// begin sends what is there and, if the client wants it, that this was all.
func (s *stream) begin(there []object, version string) error {
	for _, one := range there {
		if err := s.send(watch.Added, s.asked.shape(one)); err != nil {
			return err
		}
	}
	if s.asked.fromTheStart() {
		if err := s.send(watch.Bookmark, endOfInitialEvents(s.asked.resource, version)); err != nil {
			return err
		}
	}
	return s.Flush()
}

// follow sends what changes until the context ends or the client is gone.
func (s *stream) follow(ctx context.Context, watcher *watcher) {
	for {
		events := watcher.next(ctx)
		if events == nil {
			return
		}
		for _, e := range events {
			if s.send(e.event, s.asked.shape(e.object)) != nil {
				return
			}
		}
		if s.Flush() != nil {
			return
		}
	}
}

// endOfInitialEvents is the bookmark that says that all objects have been sent.
func endOfInitialEvents(r *resource, version string) json.RawMessage {
	bookmark := &contents{}
	bookmark.SetGroupVersionKind(r.gvk())
	bookmark.SetResourceVersion(version)
	bookmark.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	encoded, _ := bookmark.MarshalJSON() // strings can be encoded
	return encoded
}
