package telemetry

import (
	"os"
	"os/user"
	"strconv"
)

// RunInfo says which process this is, for those who look at its records or wait
// for its locks.
type RunInfo struct {
	// Run and Workspace are Terraform's, or Run the CI system's; empty where
	// they are not known.
	Run, Workspace string
	User, Host     string
	PID            int
}

// DetectRun returns what the environment tells about this process: the run and
// workspace of HCP Terraform or Terraform Enterprise, else the run of GitHub
// Actions, GitLab CI or Jenkins and the workspace of TF_WORKSPACE. What cannot be
// found out stays empty.
func DetectRun() RunInfo {
	run := detectRun(os.Getenv)
	run.PID = os.Getpid()
	if host, err := os.Hostname(); err == nil {
		run.Host = host
	}
	if current, err := user.Current(); err == nil {
		run.User = current.Username
	}
	if run.User == "" {
		run.User = first(os.Getenv, "USER", "USERNAME")
	}
	if run.User == "" && os.Getuid() >= 0 {
		// A container may run under a number that no file gives a name to.
		run.User = strconv.Itoa(os.Getuid())
	}
	return run
}

// detectRun reads the part that is told by the environment alone.
func detectRun(getenv func(string) string) RunInfo {
	return RunInfo{
		Run: first(getenv, "TFC_RUN_ID", "GITHUB_RUN_ID", "CI_PIPELINE_ID", "BUILD_TAG", "BUILD_URL"),
		// The slug has the organization in it.
		Workspace: first(getenv, "TFC_WORKSPACE_SLUG", "TFC_WORKSPACE_NAME", "TF_WORKSPACE"),
	}
}

func first(getenv func(string) string, names ...string) string {
	for _, name := range names {
		if value := getenv(name); value != "" {
			return value
		}
	}
	return ""
}
