package telemetry

import (
	"os"
	"testing"
)

func TestARunIsNamedByTheSystemThatRunsTerraform(t *testing.T) {
	for _, test := range []struct {
		name           string
		env            map[string]string
		run, workspace string
	}{
		{"nothing", nil, "", ""},
		{"HCP Terraform", map[string]string{
			"TFC_RUN_ID": "run-abc", "TFC_WORKSPACE_NAME": "fabric", "TFC_WORKSPACE_SLUG": "acme/fabric", "TF_WORKSPACE": "x", "GITHUB_RUN_ID": "1",
		}, "run-abc", "acme/fabric"},
		{"without a slug", map[string]string{"TFC_RUN_ID": "run-abc", "TFC_WORKSPACE_NAME": "fabric"}, "run-abc", "fabric"},
		{"GitHub Actions", map[string]string{"GITHUB_RUN_ID": "99", "TF_WORKSPACE": "staging"}, "99", "staging"},
		{"GitLab CI", map[string]string{"CI_PIPELINE_ID": "1234"}, "1234", ""},
		{"Jenkins", map[string]string{"BUILD_TAG": "jenkins-fabric-7", "BUILD_URL": "https://ci.example.net/job/fabric/7/"}, "jenkins-fabric-7", ""},
	} {
		run := detectRun(func(name string) string { return test.env[name] })
		if want := (RunInfo{Run: test.run, Workspace: test.workspace}); run != want {
			t.Errorf("%s: %+v, want %+v", test.name, run, want)
		}
	}
}

func TestThisProcessKnowsItself(t *testing.T) {
	run := DetectRun()
	if host, err := os.Hostname(); err == nil && run.Host != host {
		t.Errorf("the host is %q, want %q", run.Host, host)
	}
	if run.PID != os.Getpid() || run.User == "" {
		t.Errorf("this process is %+v", run)
	}
}
