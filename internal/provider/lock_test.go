package provider

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/backend"
)

func lockOf(t *testing.T, config object, environment map[string]string) backend.Settings {
	t.Helper()
	c, diags := readingAll(t, config, environment)
	for _, d := range diags {
		t.Errorf("%s: %s", d.Summary(), d.Detail())
	}
	return c.lock
}

func TestTheLocksSettingsComeFromTheBlockAndThenFromTheEnvironment(t *testing.T) {
	got := lockOf(t, object{"lock": object{
		"backend": "etcd", "timeout": "1m", "priority": "urgent", "on_failure": "proceed",
		"etcd": object{"endpoints": []any{"https://192.0.2.5:2379"}, "username": "lock", "skip_verify": true},
	}}, map[string]string{
		"OPENCONFIG_LOCK_BACKEND": "redis", "OPENCONFIG_LOCK_TTL": "3m", "OPENCONFIG_LOCK_LOCK_DELAY": "5s",
		"OPENCONFIG_LOCK_ETCD_ENDPOINTS": "https://192.0.2.6:2379", "OPENCONFIG_LOCK_ETCD_PASSWORD": "tiger",
	})
	if got.Backend != "etcd" || got.Timeout != time.Minute || got.TTL != 3*time.Minute || got.LockDelay != 5*time.Second ||
		got.Priority != devicelock.Urgent || !got.Proceed {
		t.Errorf("got %+v", got)
	}
	if e := got.Etcd; !slices.Equal(e.Endpoints, []string{"https://192.0.2.5:2379"}) || e.Username != "lock" || e.Password != "tiger" || !e.SkipVerify {
		t.Errorf("etcd: got %+v", e)
	}
	got = lockOf(t, object{}, map[string]string{"OPENCONFIG_LOCK_BACKEND": "redis", "OPENCONFIG_LOCK_REDIS_CLUSTER": "192.0.2.1:6379, 192.0.2.2:6379"})
	if got.Backend != "redis" || !slices.Equal(got.Redis.Cluster, []string{"192.0.2.1:6379", "192.0.2.2:6379"}) {
		t.Errorf("redis: got %+v", got)
	}
	if got = lockOf(t, object{}, nil); got.Backend != "" || got.Proceed || !got.Keeps() {
		t.Errorf("without settings: got %+v", got)
	}
}

func TestALeaseOfKubernetesHasTheDevicesNameUnlessTheLockHasOneOfItsOwn(t *testing.T) {
	got := lockOf(t, object{"devices": object{
		"leaf1": object{"address": "192.0.2.1"}, "leaf2": object{"address": "192.0.2.2", "lock_key": "chassis-7"},
	}}, nil)
	if names := got.Kubernetes.Names; len(names) != 1 || names["192.0.2.1:9339"] != "leaf1" {
		t.Errorf("names %v, want leaf1 for its address alone", names)
	}
}

func TestALockThatIsNotKnownYetKeepsToItsProcess(t *testing.T) {
	for _, lock := range []any{unknown, object{"backend": unknown}, object{"backend": "etcd", "etcd": object{"password": unknown}},
		object{"backend": "etcd", "etcd": object{"endpoints": []any{unknown}}}, object{"backend": "redis", "redis": unknown}} {
		if got := lockOf(t, object{"lock": lock}, nil); got.Backend != backend.Memory {
			t.Errorf("%v: backend %q, want memory", lock, got.Backend)
		}
	}
}

func TestAFaultOfTheLockIsToldWithItsAttribute(t *testing.T) {
	device := object{"leaf1": object{"address": "192.0.2.1", "set_timeout": "110s"}}
	for _, tt := range []struct {
		name        string
		config      object
		environment map[string]string
		at          string
		want        []string
	}{
		{"backend", object{"lock": object{"backend": "consul"}}, nil, "lock.backend", []string{`lock.backend is "consul"`, "file, etcd, redis, kubernetes, memory, off"}},
		{"duration", object{"lock": object{"ttl": "-3s"}}, nil, "lock.ttl", []string{`lock.ttl is "-3s"`, "positive duration"}},
		{"priority", object{"lock": object{"priority": "high"}}, nil, "lock.priority", []string{`"high"`, "normal, urgent"}},
		{"nested", object{"lock": object{"redis": object{"sentinel_database": "x"}}}, nil, "lock.redis.sentinel_database", []string{"number"}},
		{"environment", object{}, map[string]string{"OPENCONFIG_LOCK_ON_FAILURE": "ignore"}, "", []string{"OPENCONFIG_LOCK_ON_FAILURE", `"ignore"`, "fail, proceed"}},
		{"ttl shorter than a Set", object{"devices": device, "lock": object{"ttl": "2m"}}, nil, "", nil},
		{"ttl too short", object{"devices": device, "lock": object{"ttl": "112s"}}, nil, "lock.ttl", []string{`"leaf1"`, "1m50s", "1m47s"}},
		{"ttl shorter than a rollback", object{"devices": object{"leaf1": object{"address": "192.0.2.1", "commit_confirmed": object{"rollback_after": "2m"}}}, "lock": object{"ttl": "3m"}}, nil,
			"lock.ttl", []string{`"leaf1"`, "3m30s", "rollback_after"}},
		{"arbitration without tokens", object{"arbitration": true, "devices": object{"leaf1": object{"address": "192.0.2.1"}}, "lock": object{"backend": "memory"}}, nil, "", []string{"arbitration", `"leaf1"`, `"memory"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, diags := readingAll(t, tt.config, tt.environment)
			if len(tt.want) == 0 {
				if diags.HasError() {
					t.Errorf("got %v", diags)
				}
				return
			}
			if len(diags) != 1 {
				t.Fatalf("got %d diagnostics: %v", len(diags), diags)
			}
			for _, want := range tt.want {
				if !strings.Contains(diags[0].Detail(), want) {
					t.Errorf("%q does not say %q", diags[0].Detail(), want)
				}
			}
			if at, ok := diags[0].(interface{ Path() path.Path }); tt.at != "" && (!ok || at.Path().String() != tt.at) {
				t.Errorf("it is not about %s: %v", tt.at, diags[0])
			}
		})
	}
}

func TestEverySettingOfTheLockCanBeGivenInTheBlockAndInTheEnvironment(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range backend.Table() {
		if seen[s.Variable()] {
			t.Errorf("%s is the variable of two settings", s.Variable())
		}
		seen[s.Variable()] = true
		var text, zero backend.Settings
		values := map[string][]string{
			"backend": {"etcd"}, "priority": {"urgent"}, "on_failure": {"proceed"}, "timeout": {"7s"}, "ttl": {"7s"}, "lock_delay": {"7s"}, "redis.sentinel_database": {"7"},
		}[s.Name]
		if values == nil {
			values = []string{"true"}
		}
		if err := s.Set(&text, values...); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		if reflect.DeepEqual(text, zero) {
			t.Errorf("%s sets nothing", s.Name)
		}
		var fromEnvironment backend.Settings
		err := backend.FromEnvironment(&fromEnvironment, func(name string) string {
			if name == s.Variable() {
				return values[0]
			}
			return ""
		}, func(string) bool { return false })
		if err != nil || !reflect.DeepEqual(text, fromEnvironment) {
			t.Errorf("%s: the environment sets %+v, want %+v (%v)", s.Name, fromEnvironment, text, err)
		}
	}
}

func TestTheDefaultTTLIsLongEnoughForTheLongestSet(t *testing.T) {
	for timeout, want := range map[string]time.Duration{"30s": 2 * time.Minute, "2m": 130 * time.Second, "5m": 310 * time.Second} {
		got := lockOf(t, object{"devices": object{"leaf1": object{"address": "192.0.2.1", "set_timeout": timeout}, "leaf2": object{"address": "192.0.2.2"}}}, nil)
		if got.TTL != want {
			t.Errorf("set_timeout %s: the ttl is %v, want %v", timeout, got.TTL, want)
		}
	}
}
