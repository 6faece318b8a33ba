package programs

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// Interruptible returns the context for what a program does. The first signal ends it, so that the program ends in order; a second one ends the program at once.
func Interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Outcome is the error of what was done in that context. What an interrupted step says of it is no news.
func Outcome(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}
