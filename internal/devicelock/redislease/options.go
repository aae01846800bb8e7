package redislease

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Defaults of [Options].
const (
	DefaultPrefix  = "terraform-provider-openconfig:lock:"
	DefaultTimeout = 5 * time.Second
)

// Options says where Redis is and how to reach it. One of URL, Sentinel and
// Cluster is needed, and only one.
type Options struct {
	// URL is one server: redis://[user:password@]host[:port][/database],
	// rediss:// for TLS, unix:///path for a socket, with the parameters that
	// the go-redis library knows. With the parameter master_name it is a
	// Sentinel (user and password are the Sentinel's then, and the parameters
	// username and password the server's), with one or more parameters addr
	// alone a Cluster. Its password appears in no error.
	URL string
	// Sentinel finds the master of a replicated server.
	Sentinel Sentinel
	// Cluster has the addresses, host:port, of some nodes of a Cluster.
	Cluster []string
	// Database is the number of the database behind Sentinel; zero is the
	// first. A URL has it in its path, a Cluster has only one.
	Database int
	// Username and Password are for the servers, and take the place of those in
	// URL. An empty Username is the server's default user, an empty Password
	// means that none is sent.
	Username, Password string
	// TLS is how to talk TLS to the servers and the Sentinels.
	TLS TLS
	// Prefix is what all names in the database begin with. It contains no
	// braces. Empty means [DefaultPrefix].
	Prefix string
	// Timeout bounds each call, whatever the time its context leaves. Zero
	// means [DefaultTimeout].
	Timeout time.Duration
}

// Sentinel is a group of Redis Sentinels. The zero value is none.
type Sentinel struct {
	// MasterName is what the Sentinels call the master.
	MasterName string
	// Addresses has the addresses, host:port, of some of them.
	Addresses []string
	// Username and Password are for the Sentinels themselves. Empty means that
	// they want none.
	Username, Password string
}

const (
	// retries is how often a command is sent again on another connection: an
	// idle one may have been closed by the server. All scripts bear it.
	retries = 2
	// identity is this program's name in the server's list of clients.
	identity = "terraform-provider-openconfig"
)

// connection is a client and what errors say about it.
type connection struct {
	redis.UniversalClient
	// endpoint is the place, without secrets.
	endpoint string
	// overTLS tells that TLS is talked.
	overTLS bool
}

// connect returns the client that o describes, which connects when it is used.
func (o Options) connect(timeout time.Duration, closed <-chan struct{}) (*connection, error) {
	if strings.ContainsAny(o.Prefix, "{}") {
		return nil, errors.New("the prefix must not contain braces, because Redis Cluster gives them a meaning")
	}
	sentinel := o.Sentinel.MasterName != "" || len(o.Sentinel.Addresses) > 0 || o.Sentinel.Username != "" || o.Sentinel.Password != ""
	given := 0
	for _, is := range []bool{o.URL != "", sentinel, len(o.Cluster) > 0} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		return nil, errors.New("it is not said where Redis is: give a URL, Sentinels, or the nodes of a Cluster")
	case given > 1:
		return nil, errors.New("give only one of a URL, Sentinels, and the nodes of a Cluster")
	case o.Database != 0 && o.URL != "":
		return nil, errors.New("the number of the database belongs into the URL, after the port and a slash")
	case len(o.Cluster) > 0:
		return o.cluster(&redis.ClusterOptions{Addrs: o.Cluster}, timeout, closed)
	case sentinel:
		return o.failover(&redis.FailoverOptions{
			MasterName: o.Sentinel.MasterName, SentinelAddrs: o.Sentinel.Addresses,
			SentinelUsername: o.Sentinel.Username, SentinelPassword: o.Sentinel.Password,
			DB: o.Database,
		}, timeout, closed)
	}

	// What the parsers say about a URL may quote any part of it, the password
	// too: a slash in it that is not encoded makes it a host or a database.
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, errURL
	}
	switch query := u.Query(); {
	case query.Has("master_name"):
		options, err := redis.ParseFailoverURL(o.URL)
		if err != nil {
			return nil, errURL
		}
		return o.failover(options, timeout, closed)
	case query.Has("addr"):
		options, err := redis.ParseClusterURL(o.URL)
		if err != nil {
			return nil, errURL
		}
		return o.cluster(options, timeout, closed)
	}
	options, err := redis.ParseURL(o.URL)
	if err != nil {
		return nil, errURL
	}
	return o.single(options, timeout, closed)
}

var errURL = errors.New("the URL is not understood: it should be redis://[user:password@]host[:port][/database], " +
	"or rediss:// for TLS, with parameters that the go-redis library knows; " +
	"in user and password, write characters such as / @ : % ? # percent-encoded")

func (o Options) single(c *redis.Options, timeout time.Duration, closed <-chan struct{}) (*connection, error) {
	config, err := o.TLS.config(c.TLSConfig, o.URL != "")
	if err != nil {
		return nil, err
	}
	endpoint := c.Addr
	if c.DB != 0 {
		endpoint += "/" + strconv.Itoa(c.DB)
	}
	o.credentials(&c.Username, &c.Password)
	limit(timeout, &c.DialTimeout, &c.ReadTimeout, &c.WriteTimeout)
	c.Dialer = dialer(config, c.DialTimeout, closed)
	c.ContextTimeoutEnabled = true
	c.DialerRetries = 1
	c.MaxRetries = retries
	c.PipelinePoolSize = -1
	c.IdentitySuffix = identity
	c.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return &connection{redis.NewClient(c), endpoint, config != nil}, nil
}

func (o Options) failover(c *redis.FailoverOptions, timeout time.Duration, closed <-chan struct{}) (*connection, error) {
	if c.MasterName == "" || len(c.SentinelAddrs) == 0 {
		return nil, errors.New("the master's name and the address of at least one Sentinel are needed")
	}
	config, err := o.TLS.config(c.TLSConfig, o.URL != "")
	if err != nil {
		return nil, err
	}
	o.credentials(&c.Username, &c.Password)
	limit(timeout, &c.DialTimeout, &c.ReadTimeout, &c.WriteTimeout)
	c.Dialer = dialer(config, c.DialTimeout, closed)
	c.ContextTimeoutEnabled = true
	c.DialerRetries = 1
	c.MaxRetries = retries
	c.PipelinePoolSize = -1
	c.IdentitySuffix = identity
	// The lock is on the master, whatever the URL says.
	c.RouteByLatency, c.RouteRandomly, c.ReplicaOnly = false, false, false
	endpoint := "master " + c.MasterName + " of Sentinel " + strings.Join(c.SentinelAddrs, ",")
	return &connection{redis.NewFailoverClient(c), endpoint, config != nil}, nil
}

func (o Options) cluster(c *redis.ClusterOptions, timeout time.Duration, closed <-chan struct{}) (*connection, error) {
	if o.Database != 0 {
		return nil, errors.New("a Cluster has one database only: leave out its number")
	}
	config, err := o.TLS.config(c.TLSConfig, o.URL != "")
	if err != nil {
		return nil, err
	}
	o.credentials(&c.Username, &c.Password)
	limit(timeout, &c.DialTimeout, &c.ReadTimeout, &c.WriteTimeout)
	c.Dialer = dialer(config, c.DialTimeout, closed)
	c.ContextTimeoutEnabled = true
	c.DialerRetries = 1
	c.PipelinePoolSize = -1
	c.IdentitySuffix = identity
	c.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	c.RouteByLatency, c.RouteRandomly, c.ReadOnly = false, false, false
	return &connection{redis.NewClusterClient(c), "Cluster " + strings.Join(c.Addrs, ","), config != nil}, nil
}

// credentials puts the configured ones in the place of the URL's.
func (o Options) credentials(username, password *string) {
	if o.Username != "" {
		*username = o.Username
	}
	if o.Password != "" {
		*password = o.Password
	}
}

// limit sets the timeouts that are not set, or are longer than a call may take.
func limit(timeout time.Duration, timeouts ...*time.Duration) {
	for _, t := range timeouts {
		if *t <= 0 || *t > timeout {
			*t = timeout
		}
	}
}

// dialer connects with a context that is honoured during TLS's handshake too,
// and that ends with the store.
func dialer(config *tls.Config, timeout time.Duration, closed <-chan struct{}) func(ctx context.Context, network, address string) (net.Conn, error) {
	network := net.Dialer{Timeout: timeout}
	dial := network.DialContext
	if config != nil {
		dial = (&tls.Dialer{NetDialer: &network, Config: config}).DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			select {
			case <-closed:
				cancel()
			case <-ctx.Done():
			}
		}()
		return dial(ctx, network, address)
	}
}
