package kubetest

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/watch"
)

var leases = schema.GroupResource{Group: coordinationv1.GroupName, Resource: "leases"}

// storage keeps Leases as an API server does: every write has a revision, is
// checked against the version that it rests on, and is remembered for watches.
// It is safe for concurrent use.
type storage struct {
	mu         sync.Mutex
	now        func() time.Time
	namespaces map[string]bool
	objects    map[types.NamespacedName]*coordinationv1.Lease
	revision   uint64
	// history is what happened after the revision forgotten.
	history   []event
	forgotten uint64
	// changed is closed, and replaced, when something happens.
	changed chan struct{}
}

// event is one write; before is nil for a creation.
type event struct {
	revision uint64
	kind     watch.EventType
	before   *coordinationv1.Lease
	after    *coordinationv1.Lease
}

func newStorage(now func() time.Time) *storage {
	return &storage{
		now: now, namespaces: make(map[string]bool),
		objects:  make(map[types.NamespacedName]*coordinationv1.Lease),
		revision: 1000, changed: make(chan struct{}),
	}
}

// selection is what a list or a watch is of.
type selection struct {
	namespace string
	labels    labels.Selector
	fields    fields.Selector
}

func (s selection) matches(lease *coordinationv1.Lease) bool {
	return lease != nil && lease.Namespace == s.namespace && s.labels.Matches(labels.Set(lease.Labels)) &&
		s.fields.Matches(fields.Set{metav1.ObjectNameField: lease.Name, "metadata.namespace": lease.Namespace})
}

func (s *storage) write(kind watch.EventType, before, after *coordinationv1.Lease) {
	s.revision++
	after.ResourceVersion = strconv.FormatUint(s.revision, 10)
	name := types.NamespacedName{Namespace: after.Namespace, Name: after.Name}
	if kind == watch.Deleted {
		delete(s.objects, name)
	} else {
		s.objects[name] = after
	}
	s.history = append(s.history, event{s.revision, kind, before, after})
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *storage) get(namespace, name string) (*coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(namespace, name)
}

func (s *storage) find(namespace, name string) (*coordinationv1.Lease, error) {
	lease := s.objects[types.NamespacedName{Namespace: namespace, Name: name}]
	if lease == nil {
		return nil, apierrors.NewNotFound(leases, name)
	}
	return lease, nil
}

// list returns copies of nothing: what is stored is never changed in place.
func (s *storage) list(selected selection) ([]*coordinationv1.Lease, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*coordinationv1.Lease
	for _, lease := range s.objects {
		if selected.matches(lease) {
			found = append(found, lease)
		}
	}
	slices.SortFunc(found, func(a, b *coordinationv1.Lease) int { return strings.Compare(a.Name, b.Name) })
	return found, s.revision
}

func (s *storage) create(namespace string, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.insert(namespace, lease)
}

func (s *storage) insert(namespace string, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	if !s.namespaces[namespace] {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, namespace)
	}
	if lease.Namespace == "" {
		lease.Namespace = namespace
	}
	if err := validate(namespace, lease); err != nil {
		return nil, err
	}
	if lease.ResourceVersion != "" {
		return nil, apierrors.NewBadRequest("resourceVersion should not be set on objects to be created")
	}
	if _, err := s.find(namespace, lease.Name); err == nil {
		return nil, apierrors.NewAlreadyExists(leases, lease.Name)
	}
	lease.UID = types.UID(rand.Text())
	lease.CreationTimestamp = metav1.NewTime(s.now().UTC().Truncate(time.Second))
	s.write(watch.Added, nil, lease)
	return lease, nil
}

// update does what the API server does for Leases, which it also lets a client
// create by an update: one that names the UID of a Lease that is gone is refused,
// but one that does not is a creation.
func (s *storage) update(namespace, name string, lease *coordinationv1.Lease) (*coordinationv1.Lease, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := s.find(namespace, name)
	if err != nil {
		if lease.UID != "" {
			return nil, false, conflict(name, "Precondition failed: UID in precondition: %s, UID in object meta: ", lease.UID)
		}
		lease.ResourceVersion = ""
		created, err := s.insert(namespace, lease)
		return created, true, err
	}
	if lease.UID != "" && lease.UID != before.UID {
		return nil, false, conflict(name, "Precondition failed: UID in precondition: %s, UID in object meta: %s", lease.UID, before.UID)
	}
	if lease.ResourceVersion == "" {
		return nil, false, invalid(name, field.Invalid(field.NewPath("metadata", "resourceVersion"), "", "must be specified for an update"))
	}
	if lease.ResourceVersion != before.ResourceVersion {
		return nil, false, conflict(name, "the object has been modified; please apply your changes to the latest version and try again")
	}
	if err := validate(namespace, lease); err != nil {
		return nil, false, err
	}
	lease.UID, lease.CreationTimestamp = before.UID, before.CreationTimestamp
	s.write(watch.Modified, before, lease)
	return lease, false, nil
}

func (s *storage) remove(namespace, name string, preconditions *metav1.Preconditions) (*coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := s.find(namespace, name)
	if err != nil {
		return nil, err
	}
	if p := preconditions; p != nil {
		if p.UID != nil && *p.UID != before.UID {
			return nil, conflict(name, "Precondition failed: UID in precondition: %s, UID in object meta: %s", *p.UID, before.UID)
		}
		if p.ResourceVersion != nil && *p.ResourceVersion != before.ResourceVersion {
			return nil, conflict(name, "Precondition failed: ResourceVersion in precondition: %s, ResourceVersion in object meta: %s",
				*p.ResourceVersion, before.ResourceVersion)
		}
	}
	s.write(watch.Deleted, before, before.DeepCopy())
	return before, nil
}

// since returns what happened to the selected after the revision, up to which
// revision that is, and what is closed when there is more. A Lease that comes to
// match is added to a watch, one that matches no more is deleted from it.
func (s *storage) since(revision uint64, selected selection) ([]watchEvent, uint64, <-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if revision < s.forgotten {
		return nil, 0, nil, apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", revision, s.forgotten))
	}
	var events []watchEvent
	for _, e := range s.history {
		if e.revision <= revision {
			continue
		}
		was, is := selected.matches(e.before), e.kind != watch.Deleted && selected.matches(e.after)
		switch {
		case was && is:
			events = append(events, watchEvent{watch.Modified, e.after})
		case is:
			events = append(events, watchEvent{watch.Added, e.after})
		case was:
			gone := e.before.DeepCopy()
			gone.ResourceVersion = e.after.ResourceVersion
			events = append(events, watchEvent{watch.Deleted, gone})
		}
	}
	return events, s.revision, s.changed, nil
}

// compact forgets what happened so far.
func (s *storage) compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision++
	s.history, s.forgotten = nil, s.revision
}

func validate(namespace string, lease *coordinationv1.Lease) error {
	var faults field.ErrorList
	meta := field.NewPath("metadata")
	if lease.Namespace != namespace {
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	for _, fault := range validation.IsDNS1123Subdomain(lease.Name) {
		faults = append(faults, field.Invalid(meta.Child("name"), lease.Name, fault))
	}
	for name, value := range lease.Labels {
		for _, fault := range slices.Concat(validation.IsQualifiedName(name), validation.IsValidLabelValue(value)) {
			faults = append(faults, field.Invalid(meta.Child("labels"), value, fault))
		}
	}
	for name := range lease.Annotations {
		for _, fault := range validation.IsQualifiedName(strings.ToLower(name)) {
			faults = append(faults, field.Invalid(meta.Child("annotations"), name, fault))
		}
	}
	spec := field.NewPath("spec")
	if seconds := lease.Spec.LeaseDurationSeconds; seconds != nil && *seconds <= 0 {
		faults = append(faults, field.Invalid(spec.Child("leaseDurationSeconds"), *seconds, "must be greater than 0"))
	}
	if transitions := lease.Spec.LeaseTransitions; transitions != nil && *transitions < 0 {
		faults = append(faults, field.Invalid(spec.Child("leaseTransitions"), *transitions, "must be greater than or equal to 0"))
	}
	if len(faults) > 0 {
		return invalid(lease.Name, faults...)
	}
	return nil
}

func invalid(name string, faults ...*field.Error) error {
	return apierrors.NewInvalid(schema.GroupKind{Group: coordinationv1.GroupName, Kind: "Lease"}, name, faults)
}

func conflict(name, format string, args ...any) error {
	return apierrors.NewConflict(leases, name, fmt.Errorf(format, args...))
}

// code is an error's HTTP status.
func code(err *apierrors.StatusError) int {
	if err.ErrStatus.Code == 0 {
		return http.StatusInternalServerError
	}
	return int(err.ErrStatus.Code)
}
