package simulator

import "sync"

// signal wakes those who wait for something that happens again and again.
type signal struct {
	mu   sync.Mutex
	next chan struct{}
}

// wait returns what is closed when it happens next.
func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}

// tell wakes those who wait.
func (s *signal) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}
