package wire

import (
	"context"
	"math/rand/v2"
	"time"

	"vibey/provider"
)

// A request is tried at most four times, and no try begins later than 10 s
// after the first. Longer waits are told, so that a human decides on them.
const (
	maxTries  = 4
	maxTrying = 10 * time.Second
	firstWait = 500 * time.Millisecond
)

// again reports whether a failure before any content may pass by itself, and
// after how long to try. tries counts those made, since is the time since the
// first began.
func again(e *provider.Error, tries int, since time.Duration) (time.Duration, bool) {
	switch e.Kind {
	case provider.KindRateLimit, provider.KindBusy, provider.KindNetwork, provider.KindCut, provider.KindMalformed:
	default:
		return 0, false
	}
	if tries >= maxTries || e.Kind == provider.KindMalformed && e.Status != 0 {
		return 0, false
	}
	wait := firstWait << (tries - 1)
	wait = wait/2 + rand.N(wait/2)
	if e.RetryAfter > 0 {
		// A little later than asked, so that not all who were told the same come at once.
		wait = e.RetryAfter + rand.N(100*time.Millisecond)
	}
	return wait, since+wait <= maxTrying
}

// Sleep waits, or returns why ctx ended.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
