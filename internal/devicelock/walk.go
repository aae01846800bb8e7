package devicelock

import (
	"sync"
	"time"
)

// walk is what all gates of a registry know of the walk that sends them steps.
//
// A walk sets out with a rush: it delivers what is ready in random order,
// whatever the device. A device with a small share of it sees silences between
// its own steps that say nothing while steps still come to others. So during
// the rush a step that others may have to precede waits until none of those has
// come or been announced anywhere. The rush counts for MaxGather at most, once
// in a walk, so that a long walk does not make its devices wait for one another.
type walk struct {
	mu     sync.Mutex
	begun  time.Duration
	active time.Duration // last arrival or announcement
	lead   time.Duration // longest time from an announcement to its arrival
	seen   [numberOfClasses]time.Duration
}

func (w *walk) init() {
	w.begun, w.active = longAgo, longAgo
	for class := range w.seen {
		w.seen[class] = longAgo
	}
}

// note records that a step of the class came, lead after it was announced, or
// was announced (lead 0). After a silence of pause it begins a new walk.
func (w *walk) note(class int, lead, now, pause time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now-w.active > pause {
		w.begun, w.lead = now, 0
	}
	w.active = now
	w.seen[class] = now
	w.lead = max(w.lead, lead)
}

// rush returns when a step better than the class was last seen, and the walk's
// lead; nothing that matters once the rush, which lasts for limit, is over.
func (w *walk) rush(better int, now, limit time.Duration) (last, lead time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now >= w.begun+limit {
		return longAgo, 0
	}
	last = longAgo
	for class := range better {
		last = max(last, w.seen[class])
	}
	return last, w.lead
}
