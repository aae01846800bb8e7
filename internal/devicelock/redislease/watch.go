package redislease

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// hub is a store's one subscription, shared by all that watch. It starts with
// the first of them.
type hub struct {
	client  redis.UniversalClient
	origin  string
	timeout time.Duration
	closed  <-chan struct{}
	running sync.WaitGroup
	// changed has a value when the channels that are watched have changed.
	changed chan struct{}

	mu       sync.Mutex
	started  bool
	watchers map[string]map[chan struct{}]struct{}
	// subscribed are the channels that have been asked for; true if the server
	// has confirmed it.
	subscribed map[string]bool
}

func newHub(client redis.UniversalClient, origin string, timeout time.Duration, closed <-chan struct{}) *hub {
	return &hub{
		client: client, origin: origin, timeout: timeout, closed: closed,
		changed:    make(chan struct{}, 1),
		watchers:   make(map[string]map[chan struct{}]struct{}),
		subscribed: make(map[string]bool),
	}
}

// watch returns a channel that gets a value for what is published on channel.
func (h *hub) watch(ctx context.Context, channel string) <-chan struct{} {
	hints := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.closed:
		return hints
	default:
	}
	if !h.started {
		h.started = true
		h.running.Go(h.run)
	}
	if h.watchers[channel] == nil {
		h.watchers[channel] = make(map[chan struct{}]struct{})
	}
	h.watchers[channel][hints] = struct{}{}
	if h.subscribed[channel] {
		notify(hints)
	}
	notify(h.changed)
	context.AfterFunc(ctx, func() { h.leave(channel, hints) })
	return hints
}

func (h *hub) leave(channel string, hints chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers[channel], hints)
	if len(h.watchers[channel]) == 0 {
		delete(h.watchers, channel)
	}
	notify(h.changed)
}

// wait returns when the subscription has ended, after the store was closed.
func (h *hub) wait() {
	h.mu.Lock()
	// Nobody can start it from here on.
	h.started = true
	h.mu.Unlock()
	h.running.Wait()
}

// run owns the subscription, which the library makes again when its connection
// is lost.
func (h *hub) run() {
	subscription := h.client.Subscribe(context.Background())
	messages := subscription.ChannelWithSubscriptions()
	defer func() {
		// The library's reader ends by closing its channel.
		for range messages {
			continue
		}
	}()
	defer func() { _ = subscription.Close() }()
	for {
		select {
		case <-h.closed:
			return
		case <-h.changed:
			h.adjust(subscription)
		case message, ok := <-messages:
			if !ok {
				return
			}
			h.deliver(message)
		}
	}
}

// adjust subscribes to the channels that are watched and to no others. An error
// needs no care: the library has noted the channels for its next connection.
func (h *hub) adjust(subscription *redis.PubSub) {
	var add, drop []string
	h.mu.Lock()
	for channel := range h.watchers {
		if _, ok := h.subscribed[channel]; !ok {
			h.subscribed[channel] = false
			add = append(add, channel)
		}
	}
	for channel := range maps.Keys(h.subscribed) {
		if h.watchers[channel] == nil {
			delete(h.subscribed, channel)
			drop = append(drop, channel)
		}
	}
	h.mu.Unlock()

	ctx, cancel := context.WithTimeout(context.Background(), h.timeout)
	defer cancel()
	if len(add) > 0 {
		_ = subscription.Subscribe(ctx, add...)
	}
	if len(drop) > 0 {
		_ = subscription.Unsubscribe(ctx, drop...)
	}
}

// deliver passes a message on to those that watch its channel.
func (h *hub) deliver(message any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var channel string
	switch m := message.(type) {
	case *redis.Subscription:
		if _, ok := h.subscribed[m.Channel]; !ok || m.Kind != "subscribe" {
			return
		}
		h.subscribed[m.Channel] = true
		channel = m.Channel
	case *redis.Message:
		if m.Payload == h.origin {
			return
		}
		channel = m.Channel
	}
	for hints := range h.watchers[channel] {
		notify(hints)
	}
}

// notify puts a value into c unless one waits there already.
func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
