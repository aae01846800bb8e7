package kubetest

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// The tokens that the server knows. Admin may do everything, Viewer may read.
const (
	Admin  = "admin-token"
	Viewer = "viewer-token"
)

// Server is an API server that has Leases only.
type Server struct {
	Cluster

	storage *storage
	http    *httptest.Server
	done    chan struct{}
	stop    sync.Once

	mu       sync.Mutex
	skew     time.Duration
	status   int
	lose     map[string]int
	before   func(verb, name string)
	requests map[string]int
	dropped  chan struct{}
	// connections are those that are open.
	connections map[net.Conn]bool
}

// Simulate starts a server with one namespace. It ends with the test.
func Simulate(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		done: make(chan struct{}), lose: make(map[string]int),
		requests: make(map[string]int), dropped: make(chan struct{}), connections: make(map[net.Conn]bool),
	}
	s.storage = newStorage(s.now)
	mux := http.NewServeMux()
	const all = "/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
	mux.HandleFunc("GET "+all, s.handle("list", s.list))
	mux.HandleFunc("POST "+all, s.handle("create", s.create))
	mux.HandleFunc("GET "+all+"/{name}", s.handle("get", s.get))
	mux.HandleFunc("PUT "+all+"/{name}", s.handle("update", s.update))
	mux.HandleFunc("DELETE "+all+"/{name}", s.handle("delete", s.remove))
	s.http = httptest.NewUnstartedServer(mux)
	s.http.EnableHTTP2 = true
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that refuse the certificate
	s.http.Config.ConnState = s.track
	s.http.StartTLS()
	t.Cleanup(s.Stop)
	s.Namespace = "network"
	s.storage.namespaces[s.Namespace] = true
	s.Kubeconfig = s.KubeconfigFor(t, Admin, s.Namespace)
	return s
}

// Stop ends the server and all connections to it. Nobody answers there then.
func (s *Server) Stop() {
	s.stop.Do(func() {
		close(s.done)
		s.http.CloseClientConnections()
		s.http.Close()
	})
}

// URL is where the server is.
func (s *Server) URL() string { return s.http.URL }

// SetSkew sets the server's clock ahead of this host's.
func (s *Server) SetSkew(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skew = d
}

// Fail makes the server refuse every request with this HTTP status; 0 ends it.
func (s *Server) Fail(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// LoseReply makes the server do the next request with this verb, and then break
// the connection instead of replying.
func (s *Server) LoseReply(verb string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose[verb]++
}

// Before has f called before each request is done, with its verb (get, list,
// watch, create, update or delete) and the Lease's name if the path has it.
func (s *Server) Before(f func(verb, name string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = f
}

// Requests returns how many requests of the verbs there have been.
func (s *Server) Requests(verbs ...string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	for _, verb := range verbs {
		total += s.requests[verb]
	}
	return total
}

// Connections returns how many connections clients have open.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.connections)
}

func (s *Server) track(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.connections[conn] = true
	case http.StateClosed, http.StateHijacked:
		delete(s.connections, conn)
	case http.StateActive, http.StateIdle:
	}
}

// Compact makes the server forget what happened so far: watches cannot go on
// from there.
func (s *Server) Compact() { s.storage.compact() }

// DropWatches ends the watches that there are.
func (s *Server) DropWatches() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.dropped)
	s.dropped = make(chan struct{})
}

func (s *Server) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.skew)
}

type handler func(w http.ResponseWriter, r *http.Request) (any, int, error)

// handle does what comes before and after a request: who asks, may they, and the
// faults that the test wants.
func (s *Server) handle(verb string, do handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		verb := verb
		if r.URL.Query().Get("watch") == "true" || r.URL.Query().Get("watch") == "1" {
			verb = "watch"
		}
		w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
		s.mu.Lock()
		s.requests[verb]++
		status, before := s.status, s.before
		lose := s.lose[verb] > 0
		if lose {
			s.lose[verb]--
		}
		s.mu.Unlock()
		if before != nil {
			before(verb, r.PathValue("name"))
		}
		if status != 0 {
			reply(w, &apierrors.NewGenericServerResponse(status, verb, leases, "", "as the test wants it", 0, true).ErrStatus, status)
			return
		}
		if err := authorize(verb, r); err != nil {
			reply(w, &err.ErrStatus, code(err))
			return
		}
		if verb == "watch" {
			s.watch(w, r)
			return
		}
		object, status, err := do(w, r)
		if lose {
			panic(http.ErrAbortHandler)
		}
		var failure *apierrors.StatusError
		if errors.As(err, &failure) {
			reply(w, &failure.ErrStatus, code(failure))
			return
		}
		reply(w, object, status)
	}
}

func authorize(verb string, r *http.Request) *apierrors.StatusError {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case token == Admin, token == Viewer && (verb == "get" || verb == "list" || verb == "watch"):
		return nil
	case token == Viewer:
		return apierrors.NewForbidden(leases, r.PathValue("name"), errors.New("User \"viewer\" cannot "+verb+" resource \"leases\""))
	default:
		return apierrors.NewUnauthorized("Unauthorized")
	}
}

func reply(w http.ResponseWriter, object any, status int) {
	if s, ok := object.(*metav1.Status); ok {
		s.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// Whoever asked may have left.
	_ = json.NewEncoder(w).Encode(object)
}

// typed adds what a Lease has on the wire.
func typed(lease *coordinationv1.Lease) *coordinationv1.Lease {
	if lease == nil {
		return nil
	}
	wire := *lease
	wire.TypeMeta = metav1.TypeMeta{Kind: "Lease", APIVersion: coordinationv1.SchemeGroupVersion.String()}
	return &wire
}

func (s *Server) get(_ http.ResponseWriter, r *http.Request) (any, int, error) {
	lease, err := s.storage.get(r.PathValue("namespace"), r.PathValue("name"))
	return typed(lease), http.StatusOK, err
}

func (s *Server) list(_ http.ResponseWriter, r *http.Request) (any, int, error) {
	selected, err := selects(r)
	if err != nil {
		return nil, 0, err
	}
	found, revision := s.storage.list(selected)
	list := coordinationv1.LeaseList{
		TypeMeta: metav1.TypeMeta{Kind: "LeaseList", APIVersion: coordinationv1.SchemeGroupVersion.String()},
		ListMeta: metav1.ListMeta{ResourceVersion: strconv.FormatUint(revision, 10)},
	}
	for _, lease := range found {
		list.Items = append(list.Items, *lease)
	}
	return &list, http.StatusOK, nil
}

func selects(r *http.Request) (selection, error) {
	query := r.URL.Query()
	byLabel, err := labels.Parse(query.Get("labelSelector"))
	if err != nil {
		return selection{}, apierrors.NewBadRequest(err.Error())
	}
	byField, err := fields.ParseSelector(query.Get("fieldSelector"))
	if err != nil {
		return selection{}, apierrors.NewBadRequest(err.Error())
	}
	return selection{r.PathValue("namespace"), byLabel, byField}, nil
}

func (s *Server) create(_ http.ResponseWriter, r *http.Request) (any, int, error) {
	lease, err := decode[coordinationv1.Lease](r)
	if err != nil {
		return nil, 0, err
	}
	created, err := s.storage.create(r.PathValue("namespace"), lease)
	return typed(created), http.StatusCreated, err
}

func (s *Server) update(_ http.ResponseWriter, r *http.Request) (any, int, error) {
	lease, err := decode[coordinationv1.Lease](r)
	if err != nil {
		return nil, 0, err
	}
	if lease.Name != r.PathValue("name") {
		return nil, 0, apierrors.NewBadRequest("the name of the object does not match the name on the URL")
	}
	updated, created, err := s.storage.update(r.PathValue("namespace"), lease.Name, lease)
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return typed(updated), status, err
}

func (s *Server) remove(_ http.ResponseWriter, r *http.Request) (any, int, error) {
	options, err := decode[metav1.DeleteOptions](r)
	if err != nil {
		return nil, 0, err
	}
	name := r.PathValue("name")
	removed, err := s.storage.remove(r.PathValue("namespace"), name, options.Preconditions)
	if err != nil {
		return nil, 0, err
	}
	return &metav1.Status{
		Status:  metav1.StatusSuccess,
		Details: &metav1.StatusDetails{Name: name, Group: leases.Group, Kind: leases.Resource, UID: removed.UID},
	}, http.StatusOK, nil
}

func decode[T any](r *http.Request) (*T, error) {
	object := new(T)
	if r.ContentLength == 0 {
		return object, nil
	}
	if err := json.NewDecoder(r.Body).Decode(object); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return object, nil
}
