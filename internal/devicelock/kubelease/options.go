package kubelease

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/connrotation"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// DefaultTimeout bounds a call whose context has no deadline.
const DefaultTimeout = 5 * time.Second

// DefaultLeaseName is the template of a Lease's name.
const DefaultLeaseName = "{{.Device}}"

// Options says where the Leases are.
type Options struct {
	// Kubeconfig is the path of a kubeconfig file. Empty means what kubectl
	// does: the files of $KUBECONFIG, ~/.kube/config, then the service account
	// of the pod.
	Kubeconfig string
	// Context is the kubeconfig's context; empty means its current one.
	Context string
	// InCluster means the service account of the pod and no kubeconfig.
	InCluster bool
	// Namespace is where the Leases are; empty means the context's or the
	// pod's. There must be one.
	Namespace string
	// LeaseName is the text/template of a Lease's name, of which .Device is
	// the device's name; empty means [DefaultLeaseName]. What is not a valid
	// name then is made one, with a hash that keeps it unique.
	LeaseName string
	// Names has the names of devices by key. A device that is not in it is
	// named like its key. List looks for those that are, whoever holds them.
	Names map[string]string
	// Timeout bounds a call whose context has no deadline; 0 means
	// [DefaultTimeout].
	Timeout time.Duration

	// now is the host's clock; nil means time.Now.
	now func() time.Time
}

// New returns the store that options describe. It does not connect: that the
// API server is not there, or refuses, is the error of the first call. The error
// is a permanent *[devicelock.StoreError].
func New(options Options) (*Store, error) {
	s, err := newStore(options)
	if err != nil {
		return nil, &devicelock.StoreError{Backend: backend, Permanent: true, Err: err}
	}
	return s, nil
}

func newStore(options Options) (*Store, error) {
	names, err := newNaming(cmp.Or(options.LeaseName, DefaultLeaseName), options.Names)
	if err != nil {
		return nil, err
	}
	config, namespace, err := options.load()
	if err != nil {
		return nil, err
	}
	now := options.now
	if now == nil {
		now = time.Now
	}
	clock := newServerClock(now)
	api, err := connect(config, clock, namespace)
	if err != nil {
		return nil, err
	}
	api.timeout = options.Timeout
	if api.timeout <= 0 {
		api.timeout = DefaultTimeout
	}
	return start(api, clock, names), nil
}

// load returns how to reach the API server, and the namespace.
func (o *Options) load() (*rest.Config, string, error) {
	if o.InCluster {
		return o.loadInCluster()
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = expandHome(o.Kubeconfig)
	overrides := &clientcmd.ConfigOverrides{CurrentContext: o.Context, Context: api.Context{Namespace: o.Namespace}}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	config, err := loader.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, "", errors.New("there is no kubeconfig and this is not a pod: set kubeconfig, or the environment variable KUBECONFIG")
	}
	if err != nil {
		return nil, "", fmt.Errorf("read the kubeconfig: %w", err)
	}
	namespace := o.Namespace
	if namespace == "" {
		namespace, err = o.loadNamespace(loader)
		if err != nil {
			return nil, "", err
		}
	}
	return config, namespace, nil
}

// loadNamespace returns the context's namespace, or the pod's if there is no
// kubeconfig. The client library would take "default" if neither is set, where
// nobody who locks the same devices would look.
func (o *Options) loadNamespace(loader clientcmd.ClientConfig) (string, error) {
	raw, err := loader.RawConfig()
	if err != nil {
		return "", fmt.Errorf("read the kubeconfig: %w", err)
	}
	name := cmp.Or(o.Context, raw.CurrentContext)
	if context := raw.Contexts[name]; context != nil {
		if context.Namespace == "" {
			return "", fmt.Errorf("the kubeconfig's context %q has no namespace: set namespace to where the Leases of the devices are", name)
		}
		return context.Namespace, nil
	}
	return podNamespace()
}

func (o *Options) loadInCluster() (*rest.Config, string, error) {
	if o.Kubeconfig != "" || o.Context != "" {
		return nil, "", errors.New("in_cluster excludes kubeconfig and context")
	}
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, "", fmt.Errorf("use the pod's service account: %w", err)
	}
	namespace := o.Namespace
	if namespace == "" {
		namespace, err = podNamespace()
		if err != nil {
			return nil, "", err
		}
	}
	return config, namespace, nil
}

func podNamespace() (string, error) {
	text, err := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
	if err != nil {
		return "", fmt.Errorf("the pod's namespace is not known, set namespace: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// expandHome expands a leading ~/ as a shell does.
func expandHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}

// connect makes a client of Leases alone: the library's client of all kinds
// takes longer to start than many a run of Terraform.
func connect(config *rest.Config, clock *serverClock, namespace string) (*client, error) {
	scheme := runtime.NewScheme()
	if err := coordinationv1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("register Lease: %w", err)
	}
	metav1.AddToGroupVersion(scheme, coordinationv1.SchemeGroupVersion)

	config = rest.CopyConfig(config)
	config.APIPath = "/apis"
	config.GroupVersion = &coordinationv1.SchemeGroupVersion
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	config.ContentType = runtime.ContentTypeJSON
	config.AcceptContentTypes = runtime.ContentTypeJSON
	config.UserAgent = "terraform-provider-openconfig"
	config.WarningHandler = rest.NoWarnings{}
	// Contexts bound the calls. The library's own limits would end a watch, and
	// hold back a run with many devices.
	config.Timeout = 0
	config.QPS = -1
	if config.ExecProvider != nil {
		config.ExecProvider.StdinUnavailable = true
		config.ExecProvider.StdinUnavailableMessage = "a Terraform provider has no terminal"
	}
	// With a function for the proxy the library makes a transport for this
	// store, which ends with it, instead of one for the process.
	if config.Proxy == nil {
		config.Proxy = http.ProxyFromEnvironment
	}
	dialer := connrotation.NewDialer((&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext)
	config.Dial = dialer.DialContext
	config.Wrap(clock.wrap)
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("use the kubeconfig's credentials: %w", err)
	}
	restClient, err := rest.RESTClientForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, fmt.Errorf("use the kubeconfig: %w", err)
	}
	return &client{
		rest: restClient, http: httpClient, dialer: dialer, parameters: runtime.NewParameterCodec(scheme),
		namespace: namespace, endpoint: endpoint(config.Host),
	}, nil
}

// endpoint is where the API server is, without what the address may have of
// credentials.
func endpoint(host string) string {
	address, err := url.Parse(host)
	if err != nil || address.Host == "" {
		return host
	}
	return address.Scheme + "://" + address.Host + address.Path
}

// parseTemplate returns the function that renders a Lease's name.
func parseTemplate(text string) (func(device string) (string, error), error) {
	parsed, err := template.New("lease_name").Parse(text)
	if err != nil {
		return nil, fmt.Errorf("lease_name: %w", err)
	}
	return func(device string) (string, error) {
		var name strings.Builder
		if err := parsed.Execute(&name, struct{ Device string }{device}); err != nil {
			return "", fmt.Errorf("lease_name: %w", err)
		}
		return name.String(), nil
	}, nil
}
