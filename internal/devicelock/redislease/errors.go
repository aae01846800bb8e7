package redislease

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// fail returns the error of a call as a *[devicelock.StoreError].
func (s *Store) fail(err error) error {
	advice, permanent := explain(err)
	if advice != "" {
		err = fmt.Errorf("%s: %w", advice, err)
	}
	return &devicelock.StoreError{Backend: backend, Endpoint: s.endpoint, Permanent: permanent, Err: err}
}

// explain says in plain words what is wrong and what to check, for errors that
// do not say so themselves, and whether trying again is useless. Servers do not
// repeat passwords in their errors, and the library does not put them there.
func explain(err error) (advice string, permanent bool) {
	if advice, ok := refusal(err); ok {
		return advice, true
	}
	if advice, ok := tlsFailure(err); ok {
		return advice, true
	}
	switch {
	case errors.Is(err, context.Canceled):
		return "", false
	case isTimeout(err):
		return "the server did not answer in time", false
	case errors.Is(err, io.EOF):
		return "the server closed the connection (if it expects TLS, the URL has to begin with rediss://)", false
	case redis.HasErrorPrefix(err, "READONLY"):
		return "the server is a replica, perhaps since a failover: use the master's address, or Sentinel", false
	case redis.HasErrorPrefix(err, "NOREPLICAS"):
		return "the server takes no writes, because too few replicas follow it (min-replicas-to-write)", false
	case redis.HasErrorPrefix(err, "OOM"):
		return "the server's memory is full (maxmemory)", false
	default:
		return "", false
	}
}

// refusal explains answers that will not change by asking again.
func refusal(err error) (advice string, ok bool) {
	is := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if redis.HasErrorPrefix(err, p) {
				return true
			}
		}
		return false
	}
	switch {
	case is("WRONGPASS", "invalid password"):
		return "the server does not accept the user name or the password: check both", true
	case is("NOAUTH"):
		return "the server wants a password, and none is configured", true
	case is("AUTH <password> called without any password", "Client sent AUTH, but no password"):
		return "a password is configured, but the server's default user has none: leave it out, or give the user name too", true
	case is("NOPERM"):
		return "the user may not do what the lock needs: check the rules for its commands, keys and channels (ACL)", true
	case is("DB index is out of range", "invalid DB index"):
		return "the server has no database of this number", true
	case is("SELECT is not allowed in cluster mode"), is("MOVED"), is("CROSSSLOT"):
		return "the server belongs to a Redis Cluster: configure it as one, without a database's number", true
	case is("This instance has cluster support disabled"):
		return "the server does not belong to a Redis Cluster: configure it by its URL", true
	case is("unknown command"):
		return "the server does not know a command that the lock needs: Redis 6 or later with scripts is needed", true
	case errors.Is(err, redis.Nil):
		return "the Sentinels know no master of this name", true
	default:
		return "", false
	}
}

// tlsFailure explains why no TLS connection came about.
func tlsFailure(err error) (advice string, ok bool) {
	var (
		verification *tls.CertificateVerificationError
		header       tls.RecordHeaderError
		alert        tls.AlertError
		remote       *net.OpError
		name         x509.HostnameError
	)
	switch {
	case errors.As(err, &name):
		return "the server's certificate is for another name: check the address, or set the server name to expect", true
	case errors.As(err, &verification):
		return "the server's certificate is not trusted: check the CA certificate", true
	case errors.As(err, &header):
		return "the server does not talk TLS at this port", true
	case errors.As(err, &alert), errors.As(err, &remote) && remote.Op == "remote error":
		return "the server refused the TLS connection: check the client certificate and key", true
	default:
		return "", false
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() ||
		strings.Contains(err.Error(), "i/o timeout")
}
