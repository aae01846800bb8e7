package etcdlease

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/clienttls"
)

// Defaults of [Options].
const (
	DefaultPrefix      = "/terraform-provider-openconfig/locks/"
	DefaultDialTimeout = 5 * time.Second
)

// Options says where etcd is and how to reach it. Endpoints are needed.
type Options struct {
	// Endpoints are the addresses of the members of one cluster, each
	// https://host:port, http://host:port, or host:port, which is with TLS if
	// another one is, or a field of Settings is set. All are with TLS, or none.
	Endpoints []string
	// Username and Password are for etcd's own authentication. Both empty means
	// none, or that the client certificate's common name is the user.
	Username, Password string
	// Settings are for TLS.
	clienttls.Settings
	// Prefix is what all keys in etcd begin with; a slash at its end is added
	// if it is missing. Empty means [DefaultPrefix].
	Prefix string
	// DialTimeout bounds the attempt to connect to one endpoint and to log in.
	// Zero means [DefaultDialTimeout].
	DialTimeout time.Duration
}

// prefix returns what all keys begin with.
func (o *Options) prefix() string {
	if o.Prefix == "" {
		return DefaultPrefix
	}
	return strings.TrimSuffix(o.Prefix, "/") + "/"
}

// target is where to connect to.
type target struct {
	// addresses are the endpoints, host:port.
	addresses []string
	// tls is nil for connections without.
	tls *tls.Config
}

// target checks the options.
func (o *Options) target() (target, error) {
	if len(o.Endpoints) == 0 {
		return target{}, errors.New("it is not said where etcd is: give its endpoints")
	}
	if (o.Username == "") != (o.Password == "") {
		return target{}, errors.New("a user name and its password are needed together")
	}
	var t target
	secure, plain := o.Settings != (clienttls.Settings{}), false
	for _, endpoint := range o.Endpoints {
		scheme, address, found := strings.Cut(strings.TrimSuffix(endpoint, "/"), "://")
		if !found {
			scheme, address = "", endpoint
		}
		switch scheme {
		case "https":
			secure = true
		case "http":
			plain = true
		}
		u, err := url.Parse("//" + address)
		if err != nil || u.Hostname() == "" || u.Port() == "" || u.Host != address || scheme != "" && scheme != "http" && scheme != "https" {
			// What is not understood may have a password in it.
			return target{}, errors.New("an endpoint is not understood: it should be https://host:port, http://host:port or host:port")
		}
		t.addresses = append(t.addresses, address)
	}
	if !secure {
		return t, nil
	}
	if plain {
		return target{}, errors.New("an endpoint begins with http://, but TLS is configured, or another endpoint begins with https://")
	}
	t.tls = &tls.Config{MinVersion: tls.VersionTLS12}
	if err := o.Apply(t.tls); err != nil {
		return target{}, fmt.Errorf("prepare TLS: %w", err)
	}
	return t, nil
}
