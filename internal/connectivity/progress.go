package connectivity

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// patience is how long a wait for nodes lasts before the test says what it waits for, and before it says so again.
const patience = 10 * time.Second

// tell calls Options.Progress, which is not made for several calls at the same time.
func (t *Test) tell(format string, values ...any) {
	t.telling.Lock()
	defer t.telling.Unlock()
	t.options.Progress(fmt.Sprintf(format, values...))
}

// onEachNode does something for each of the nodes at the same time. If it takes long, the test says for which nodes it
// still waits. WaitedFor completes "waiting for …".
func (s *station) onEachNode(waitedFor string, do func(node int) error) error {
	var mu sync.Mutex
	began, waiting, over := time.Now(), map[string]bool{}, make(chan struct{})
	for _, name := range s.names {
		waiting[name] = true
	}
	defer close(over)
	go func() {
		for slow := time.NewTicker(patience); ; {
			select {
			case <-slow.C:
				mu.Lock()
				names := slices.Sorted(maps.Keys(waiting))
				mu.Unlock()
				s.tell("Still waiting for %s, on %s of %q, after %s.", waitedFor, trouble.Enumerate(names), s.Leaf.Name,
					time.Since(began).Round(time.Second))
			case <-over:
				slow.Stop()
				return
			}
		}
	}()
	nodes := make([]int, len(s.names))
	for i := range nodes {
		nodes[i] = i
	}
	return errors.Join(parallel.Map(nodes, func(node int) error {
		err := do(node)
		mu.Lock()
		defer mu.Unlock()
		delete(waiting, s.names[node])
		return err
	})...)
}
