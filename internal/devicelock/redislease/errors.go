package redislease

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/clienttls"
)

// fail returns the error of a call as a *[devicelock.StoreError].
func (s *Store) fail(err error) error {
	advice, permanent := explain(err, s.server.overTLS)
	if advice != "" {
		err = fmt.Errorf("%s: %w", advice, err)
	}
	return &devicelock.StoreError{Backend: backend, Endpoint: s.server.endpoint, Permanent: permanent, Err: err}
}

// explain says in plain words what is wrong and what to check, for errors that
// do not say so themselves, and whether trying again is useless. Servers do not
// repeat passwords in their errors, and the library does not put them there. A
// server that does not talk TLS waits for more instead of saying so.
func explain(err error, overTLS bool) (advice string, permanent bool) {
	if advice, ok := refusal(err); ok {
		return advice, true
	}
	if advice, ok := clienttls.Explain(err); ok {
		return advice, true
	}
	switch {
	case errors.Is(err, context.Canceled):
		return "", false
	case isTimeout(err) && overTLS:
		return "the server did not answer in time; perhaps it does not talk TLS at this port", false
	case isTimeout(err):
		return "the server did not answer in time", false
	case errors.Is(err, io.EOF) && overTLS:
		return "the server closed the connection; perhaps it does not talk TLS at this port", false
	case errors.Is(err, io.EOF):
		return "the server closed the connection (if it expects TLS, the URL has to begin with rediss://)", false
	case says(err, "READONLY"):
		return "the server is a replica, perhaps since a failover: use the master's address, or Sentinel", false
	case says(err, "NOREPLICAS"):
		return "the server takes no writes, because too few replicas follow it (min-replicas-to-write)", false
	case says(err, "OOM"):
		return "the server's memory is full (maxmemory)", false
	default:
		return "", false
	}
}

// refusal explains answers that will not change by asking again.
func refusal(err error) (advice string, ok bool) {
	switch {
	case says(err, "WRONGPASS", "invalid password"):
		return "the server does not accept the user name or the password: check both", true
	case says(err, "NOAUTH", "unauthenticated"):
		return "the server wants a password, and none is configured", true
	case says(err, "NOPERM", "The user executing the script can't"):
		return "the user may not do what the lock needs: check the rules for its commands, keys and channels (ACL)", true
	case says(err, "DB index is out of range", "invalid DB index"):
		return "the server has no database of this number", true
	case says(err, "SELECT is not allowed in cluster mode", "MOVED", "CROSSSLOT"):
		return "the server belongs to a Redis Cluster: configure it as one, without a database's number", true
	case says(err, "This instance has cluster support disabled"):
		return "the server does not belong to a Redis Cluster: configure it by its URL", true
	case says(err, "unknown command", "Unknown Redis command"):
		return "the server does not know a command that the lock needs: Redis 6 or later with scripts is needed", true
	case errors.Is(err, redis.Nil):
		return "the Sentinels know no master of this name", true
	default:
		return "", false
	}
}

// says tells whether the server's answer has one of the texts. What goes wrong in
// a script is somewhere inside, where it is depends on the server's version.
func says(err error, texts ...string) bool {
	var answer redis.Error
	return errors.As(err, &answer) && slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(answer.Error(), text)
	})
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() ||
		strings.Contains(err.Error(), "i/o timeout")
}
