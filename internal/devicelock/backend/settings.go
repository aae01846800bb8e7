package backend

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// Setting is one setting of the lock.
type Setting struct {
	// Name is the setting's in the configuration's lock block, with its object
	// where it is in one, for example "etcd.endpoints".
	Name string
	// Form is what its value looks like.
	Form Form
	// Secret tells that the value is not to be shown.
	Secret bool
	// Help describes it in Markdown, as part of a sentence or as several.
	Help string

	set func(s *Settings, values []string) error
}

// Form is what a setting's value looks like.
type Form int

// The forms.
const (
	Text Form = iota
	Flag
	List
)

// Variable is the environment variable of the setting.
func (s *Setting) Variable() string { return variable(s.Name) }

func variable(name string) string {
	return "OPENCONFIG_LOCK_" + strings.ToUpper(strings.ReplaceAll(name, ".", "_"))
}

// Set gives the setting its value: one text, or for a List any number. The error
// says what is wrong with it, and names it.
func (s *Setting) Set(settings *Settings, values ...string) error {
	return s.set(settings, values)
}

// SetText is Set of a value as the environment and the command line have it: a
// list is separated by commas.
func (s *Setting) SetText(settings *Settings, text string) error {
	if s.Form == List {
		return s.Set(settings, strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	return s.Set(settings, text)
}

// Locates tells whether the setting says where the lock is, and not how a run
// uses it.
func (s *Setting) Locates() bool {
	return strings.Contains(s.Name, ".") || s.Name == "backend" || s.Name == "lock_delay"
}

// FromEnvironment reads those settings that skip does not tell to leave alone
// from the environment that getenv looks up. The error names the variable.
func FromEnvironment(settings *Settings, getenv func(string) string, skip func(name string) bool) error {
	for _, s := range Table() {
		text := getenv(s.Variable())
		if text == "" || skip(s.Name) {
			continue
		}
		if err := s.SetText(settings, text); err != nil {
			return fmt.Errorf("%s: %w", s.Variable(), err)
		}
	}
	return nil
}

// Table lists all settings.
func Table() []Setting {
	return slices.Concat(general(), forFile(), forEtcd(), forRedis(), forKubernetes())
}

func general() []Setting {
	return []Setting{
		choice("backend", "Where the lock is kept: `file` (the default: among all processes of this user on this host), `etcd`, `redis` or `kubernetes` "+
			"(among hosts), `memory` (in one process, which is one provider block) or `off`.", Names(),
			func(s *Settings, name string) { s.Backend = name }),
		duration("timeout", "How long a step waits while one other process stands in its way without progress, such as `30s`, which is the default.",
			func(s *Settings) *time.Duration { return &s.Timeout }),
		duration("ttl", "After how long the lock of a process that has died lapses; a live one renews it. It must be longer than `set_timeout` by a tenth, or five seconds. "+
			"The default is `120s`, or more where a `set_timeout` needs it. A lock that is a `file` lapses at once.",
			func(s *Settings) *time.Duration { return &s.TTL }),
		duration("lock_delay", "How long after a lock lapsed nobody gets the device: the longest time that a device goes on with a Set whose sender has given up. "+
			"The default is `10s`.",
			func(s *Settings) *time.Duration { return &s.LockDelay }),
		choice("priority", "`normal`, or `urgent`: this run goes before all normal ones that wait.", []string{devicelock.Normal.String(), devicelock.Urgent.String()},
			func(s *Settings, name string) {
				s.Priority = devicelock.Normal
				if name == devicelock.Urgent.String() {
					s.Priority = devicelock.Urgent
				}
			}),
		choice("on_failure", "What happens when the lock's service is down: `fail` (the default), or `proceed` with a warning and with the order of this process alone.",
			[]string{"fail", "proceed"},
			func(s *Settings, name string) { s.Proceed = name == "proceed" }),
	}
}

func forFile() []Setting {
	return []Setting{
		text("file.directory", "Directory of the locks. All processes that write to the devices need the same. "+
			"The default is a directory in the user's cache directory.", func(s *Settings) *string { return &s.File.Directory }),
	}
}

func forEtcd() []Setting {
	return slices.Concat([]Setting{
		list("etcd.endpoints", "Addresses of the servers, such as `[\"https://192.0.2.5:2379\"]`.", func(s *Settings) *[]string { return &s.Etcd.Endpoints }),
		text("etcd.username", "User name.", func(s *Settings) *string { return &s.Etcd.Username }),
		secret("etcd.password", "Password.", func(s *Settings) *string { return &s.Etcd.Password }),
		text("etcd.prefix", "What all keys begin with. The default is `/terraform-provider-openconfig/locks/`.", func(s *Settings) *string { return &s.Etcd.Prefix }),
	}, certificates("etcd", func(s *Settings) tlsFields {
		return tlsFields{&s.Etcd.CACert, &s.Etcd.ClientCert, &s.Etcd.ClientKey, &s.Etcd.ServerName, &s.Etcd.SkipVerify}
	}))
}

func forRedis() []Setting {
	return slices.Concat([]Setting{
		secret("redis.url", "Address of one server, such as `redis://192.0.2.5:6379/0`, or `rediss://` for TLS. For Sentinel or a Cluster, set what is for them instead.",
			func(s *Settings) *string { return &s.Redis.URL }),
		text("redis.username", "User name.", func(s *Settings) *string { return &s.Redis.Username }),
		secret("redis.password", "Password.", func(s *Settings) *string { return &s.Redis.Password }),
		text("redis.sentinel_master", "Name of the master that Sentinels watch.", func(s *Settings) *string { return &s.Redis.Sentinel.MasterName }),
		list("redis.sentinel_addresses", "Addresses of Sentinels, such as `[\"192.0.2.5:26379\"]`.", func(s *Settings) *[]string { return &s.Redis.Sentinel.Addresses }),
		text("redis.sentinel_username", "User name at the Sentinels.", func(s *Settings) *string { return &s.Redis.Sentinel.Username }),
		secret("redis.sentinel_password", "Password at the Sentinels.", func(s *Settings) *string { return &s.Redis.Sentinel.Password }),
		{
			Name: "redis.sentinel_database", Help: "Number of the database behind Sentinels.",
			set: func(s *Settings, values []string) error {
				n, err := strconv.Atoi(values[0])
				if err != nil || n < 0 {
					return fmt.Errorf("redis.sentinel_database is %q; it must be a number from 0 on", values[0])
				}
				s.Redis.Database = n
				return nil
			},
		},
		list("redis.cluster", "Addresses of some nodes of a Cluster.", func(s *Settings) *[]string { return &s.Redis.Cluster }),
		text("redis.prefix", "What all keys begin with. The default is `terraform-provider-openconfig:lock:`.", func(s *Settings) *string { return &s.Redis.Prefix }),
		flag("redis.tls", "Whether Sentinels and Cluster are reached by TLS.", func(s *Settings) *bool { return &s.Redis.TLS.Enabled }),
	}, certificates("redis", func(s *Settings) tlsFields {
		t := &s.Redis.TLS
		return tlsFields{&t.CACert, &t.ClientCert, &t.ClientKey, &t.ServerName, &t.SkipVerify}
	}))
}

func forKubernetes() []Setting {
	return []Setting{
		text("kubernetes.namespace", "Namespace of the Leases. The default is the kubeconfig context's, or the pod's.", func(s *Settings) *string { return &s.Kubernetes.Namespace }),
		text("kubernetes.lease_name", "Name of a device's Lease, as a template of Go. `.Device` is the device's name in `devices`. The default is `{{.Device}}`.",
			func(s *Settings) *string { return &s.Kubernetes.LeaseName }),
		text("kubernetes.kubeconfig", "File that says how to reach the cluster. The default is what `kubectl` takes: `KUBECONFIG`, `~/.kube/config`, or the pod's service account.",
			func(s *Settings) *string { return &s.Kubernetes.Kubeconfig }),
		text("kubernetes.context", "Context of the kubeconfig. The default is its current one.", func(s *Settings) *string { return &s.Kubernetes.Context }),
		flag("kubernetes.in_cluster", "Whether to use the pod's service account and no kubeconfig.", func(s *Settings) *bool { return &s.Kubernetes.InCluster }),
	}
}

// tlsFields are a backend's fields for TLS.
type tlsFields struct {
	caCert, clientCert, clientKey, serverName *string
	skipVerify                                *bool
}

func certificates(object string, fields func(*Settings) tlsFields) []Setting {
	return []Setting{
		text(object+".ca_cert", "Authorities that may sign the server's certificate: PEM text, or the name of a file.", func(s *Settings) *string { return fields(s).caCert }),
		text(object+".client_cert", "Certificate of this client: PEM text, or the name of a file.", func(s *Settings) *string { return fields(s).clientCert }),
		secret(object+".client_key", "Private key of the certificate: PEM text, or the name of a file.", func(s *Settings) *string { return fields(s).clientKey }),
		text(object+".server_name", "Name that the server's certificate must be for, where that is not the host of its address.", func(s *Settings) *string { return fields(s).serverName }),
		flag(object+".skip_verify", "Whether to accept any certificate. Whoever answers at the address then gets the credentials.", func(s *Settings) *bool { return fields(s).skipVerify }),
	}
}

func text(name, help string, field func(*Settings) *string) Setting {
	return Setting{Name: name, Help: help, set: func(s *Settings, values []string) error {
		*field(s) = values[0]
		return nil
	}}
}

func secret(name, help string, field func(*Settings) *string) Setting {
	s := text(name, help, field)
	s.Secret = true
	return s
}

func list(name, help string, field func(*Settings) *[]string) Setting {
	return Setting{Name: name, Form: List, Help: help, set: func(s *Settings, values []string) error {
		*field(s) = values
		return nil
	}}
}

func flag(name, help string, field func(*Settings) *bool) Setting {
	return Setting{Name: name, Form: Flag, Help: help, set: func(s *Settings, values []string) error {
		b, err := strconv.ParseBool(values[0])
		if err != nil {
			return fmt.Errorf("%s is %q; it must be true or false", name, values[0])
		}
		*field(s) = b
		return nil
	}}
}

func duration(name, help string, field func(*Settings) *time.Duration) Setting {
	return Setting{Name: name, Help: help, set: func(s *Settings, values []string) error {
		d, err := time.ParseDuration(values[0])
		if err != nil || d <= 0 {
			return fmt.Errorf("%s is %q; it must be a positive duration such as \"90s\" or \"2m\"", name, values[0])
		}
		*field(s) = d
		return nil
	}}
}

func choice(name, help string, names []string, choose func(*Settings, string)) Setting {
	return Setting{Name: name, Help: help, set: func(s *Settings, values []string) error {
		if !slices.Contains(names, values[0]) {
			return fmt.Errorf("%s is %q; it must be one of %s", name, values[0], strings.Join(names, ", "))
		}
		choose(s, values[0])
		return nil
	}}
}
