package kubetest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// watchEvent is a change as a watch sees it.
type watchEvent struct {
	kind  watch.EventType
	lease *coordinationv1.Lease
}

// stream writes events to one client.
type stream struct {
	encoder *json.Encoder
	flush   func()
}

func (s stream) send(kind watch.EventType, object any) error {
	defer s.flush()
	return s.encoder.Encode(map[string]any{"type": kind, "object": object})
}

// watch sends what happens to the selected from resourceVersion on; without it,
// what there is first. It ends with the client, when the time that the client
// wants is over, and when the test drops it. A version that was forgotten is an
// event, as the API server has it.
func (s *Server) watch(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	selected, err := selects(r)
	if !ok || err != nil {
		reply(w, &apierrors.NewBadRequest("cannot watch").ErrStatus, http.StatusBadRequest)
		return
	}
	query := r.URL.Query()
	limit := time.Minute
	if seconds, err := strconv.Atoi(query.Get("timeoutSeconds")); err == nil {
		limit = time.Duration(seconds) * time.Second
	}
	s.mu.Lock()
	dropped := s.dropped
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	flusher.Flush()
	out := stream{json.NewEncoder(w), flusher.Flush}

	revision, err := strconv.ParseUint(query.Get("resourceVersion"), 10, 64)
	if err != nil || revision == 0 {
		var found []*coordinationv1.Lease
		found, revision = s.storage.list(selected)
		for _, lease := range found {
			if out.send(watch.Added, typed(lease)) != nil {
				return
			}
		}
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		events, next, changed, err := s.storage.since(revision, selected)
		var failure *apierrors.StatusError
		if errors.As(err, &failure) {
			failure.ErrStatus.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
			_ = out.send(watch.Error, &failure.ErrStatus) // the watch is over anyway
			return
		}
		for _, e := range events {
			if out.send(e.kind, typed(e.lease)) != nil {
				return
			}
		}
		revision = next
		select {
		case <-changed:
		case <-timer.C:
			if query.Get("allowWatchBookmarks") == "true" {
				bookmark := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{ResourceVersion: strconv.FormatUint(revision, 10)}}
				_ = out.send(watch.Bookmark, typed(bookmark)) // the watch is over anyway
			}
			return
		case <-dropped:
			return
		case <-s.done:
			return
		case <-r.Context().Done():
			return
		}
	}
}
