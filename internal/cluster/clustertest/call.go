package clustertest

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Call is a request that a test answers.
type Call[T any] struct {
	Context context.Context
	// Verb is get, list, watch, create, update, patch, apply, delete, or subresource for a patch of one, such as the
	// status.
	Verb string
	// Object is what is written, or what the answer of a get or list belongs into.
	Object T
	// DryRun says that a create or patch is to write nothing.
	DryRun bool
	// FieldManager is that of a patch.
	FieldManager string
	// Client is for requests of the answer's own. The same answer does not see them.
	Client client.Client
	// Send lets the request go on to where it would go without this answer, and returns how it ends.
	Send func() error
}

// On lets a test answer the requests to the API server of a leaf that have one of the verbs, separated by spaces, and
// an object or list of type T. The answer that is given last gets a request first.
func On[T any](leaf *cluster.Leaf, verbs string, answer func(Call[T]) error) {
	clients := leaf.Clients()
	clients.Live = answered(clients.Live, verbs, answer)
}

// OnCached lets a test answer the requests to the cache of a leaf, as [On] those to its API server.
func OnCached[T any](leaf *cluster.Leaf, verbs string, answer func(Call[T]) error) {
	clients := leaf.Clients()
	cached := clients.Cached.(client.WithWatch) //nolint:errcheck,forcetypeassert // see Leaf
	clients.Cached = answered(cached, verbs, answer)
}

// Fail lets such requests to the API server of a leaf fail, without any effect.
func Fail[T any](leaf *cluster.Leaf, verbs string, failure error) {
	On(leaf, verbs, func(Call[T]) error { return failure })
}

// answered is a client with a test's answer in front of it.
func answered[T any](to client.WithWatch, verbs string, answer func(Call[T]) error) client.WithWatch {
	wanted := strings.Fields(verbs)
	return interceptor.NewClient(to, calls(func(call Call[any]) error {
		object, ok := call.Object.(T)
		if !ok || !slices.Contains(wanted, call.Verb) {
			return call.Send()
		}
		return answer(Call[T]{
			Context: call.Context, Verb: call.Verb, Object: object, DryRun: call.DryRun,
			FieldManager: call.FieldManager, Client: to, Send: call.Send,
		})
	}))
}

// calls makes a call of each request to a client.
func calls(answer func(Call[any]) error) interceptor.Funcs {
	return interceptor.Funcs{
		Get: func(
			ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption,
		) error {
			send := func() error { return c.Get(ctx, key, object, options...) }
			return answer(Call[any]{Context: ctx, Verb: "get", Object: object, Send: send})
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			send := func() error { return c.List(ctx, list, options...) }
			return answer(Call[any]{Context: ctx, Verb: "list", Object: list, Send: send})
		},
		Watch: func(
			ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption,
		) (changes watch.Interface, err error) {
			send := func() (err error) {
				changes, err = c.Watch(ctx, list, options...)
				return err
			}
			err = answer(Call[any]{Context: ctx, Verb: "watch", Object: list, Send: send})
			return changes, err
		},
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.CreateOption) error {
			dry := len((&client.CreateOptions{}).ApplyOptions(options).DryRun) > 0
			send := func() error { return c.Create(ctx, object, options...) }
			return answer(Call[any]{Context: ctx, Verb: "create", Object: object, DryRun: dry, Send: send})
		},
		Update: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.UpdateOption) error {
			send := func() error { return c.Update(ctx, object, options...) }
			return answer(Call[any]{Context: ctx, Verb: "update", Object: object, Send: send})
		},
		Patch: func(
			ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption,
		) error {
			asked := (&client.PatchOptions{}).ApplyOptions(options)
			send := func() error { return c.Patch(ctx, object, patch, options...) }
			return answer(Call[any]{
				Context: ctx, Verb: "patch", Object: object, DryRun: len(asked.DryRun) > 0, FieldManager: asked.FieldManager,
				Send: send,
			})
		},
		Apply: func(
			ctx context.Context, c client.WithWatch, object runtime.ApplyConfiguration, options ...client.ApplyOption,
		) error {
			send := func() error { return c.Apply(ctx, object, options...) }
			return answer(Call[any]{Context: ctx, Verb: "apply", Object: object, Send: send})
		},
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			send := func() error { return c.Delete(ctx, object, options...) }
			return answer(Call[any]{Context: ctx, Verb: "delete", Object: object, Send: send})
		},
		SubResourcePatch: func(
			ctx context.Context, c client.Client, subresource string, object client.Object, patch client.Patch,
			options ...client.SubResourcePatchOption,
		) error {
			send := func() error { return c.SubResource(subresource).Patch(ctx, object, patch, options...) }
			return answer(Call[any]{Context: ctx, Verb: "subresource", Object: object, Send: send})
		},
	}
}
