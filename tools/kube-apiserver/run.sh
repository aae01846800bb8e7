#!/usr/bin/env bash
# Builds and runs a Kubernetes API server on loopback, for the tests of leases.
# README.md beside this file tells how to use it.
set -euo pipefail

version=${KUBERNETES_VERSION:-v1.37.2}
port=${PORT:-16443}
limit=${LIMIT:-3600}
servers=${SERVERS:-$HOME/.cache/openconfig-kube-apiserver}/$version

# build compiles both servers in a module of their own. The API server's module
# names its libraries without a version, because it has their source; as a
# dependency it needs the release of each that belongs to it.
build() {
	local module source libraries library
	module=$(mktemp -d)
	(
		cd "$module"
		go mod init kube-apiserver
		source=$(go mod download -json "k8s.io/kubernetes@$version" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
		libraries=$(awk '$1 ~ /^k8s\.io\// && $2 == "v0.0.0" {print $1}' "$source")
		for library in $libraries; do
			go mod edit "-replace=$library=$library@v0.${version#v1.}"
		done
		go get "k8s.io/kubernetes/cmd/kube-apiserver@$version" go.etcd.io/etcd/server/v3
		go build -mod=mod -o bin/etcd go.etcd.io/etcd/server/v3
		go build -mod=mod -o bin/kube-apiserver \
			-ldflags "-X k8s.io/component-base/version.gitVersion=$version" k8s.io/kubernetes/cmd/kube-apiserver
	) >&2
	mkdir -p "$servers"
	mv "$module"/bin/* "$servers"
	rm -r "$module"
}

[[ -x $servers/kube-apiserver ]] || build

data=$(mktemp -d)
pids=()
# stop ends the API server before the etcd that it waits for, and by force if it
# does not go.
stop() {
	trap '' INT TERM
	local i
	for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
		kill "${pids[i]}" || true
		wait "${pids[i]}" || true
	done
	rm -r "$data"
} 2>/dev/null
trap stop EXIT
trap 'exit 130' INT TERM

etcd=http://127.0.0.1:$((port + 1))
peer=http://127.0.0.1:$((port + 2))
timeout --kill-after 10 "$limit" "$servers/etcd" --data-dir "$data/etcd" --unsafe-no-fsync --log-level error \
	--listen-client-urls "$etcd" --advertise-client-urls "$etcd" \
	--listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" --initial-cluster "default=$peer" \
	>"$data/etcd.log" 2>&1 &
pids+=($!)

token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "$token,test,test,system:masters" >"$data/tokens"
openssl genrsa -out "$data/accounts.key" 2048 2>/dev/null
timeout --kill-after 10 "$limit" "$servers/kube-apiserver" --etcd-servers "$etcd" \
	--bind-address 127.0.0.1 --advertise-address 127.0.0.1 --secure-port "$port" --cert-dir "$data/certificates" \
	--endpoint-reconciler-type none --service-cluster-ip-range 10.0.0.0/24 \
	--authorization-mode RBAC --token-auth-file "$data/tokens" \
	--service-account-issuer https://127.0.0.1 --service-account-key-file "$data/accounts.key" \
	--service-account-signing-key-file "$data/accounts.key" \
	>"$data/kube-apiserver.log" 2>&1 &
pids+=($!)

ready() {
	curl --silent --fail --noproxy '*' --cacert "$data/certificates/apiserver.crt" --header "Authorization: Bearer $token" \
		--max-time 2 "https://127.0.0.1:$port/readyz" >/dev/null
}
for ((tries = 120; ; tries--)); do
	ready && break
	if ((tries == 0)) || ! kill -0 "${pids[0]}" "${pids[1]}" 2>/dev/null; then
		echo "The API server does not start:" >&2
		tail -n 5 "$data/etcd.log" "$data/kube-apiserver.log" >&2
		exit 1
	fi
	sleep 0.5
done

cat >"$data/kubeconfig" <<EOF
apiVersion: v1
kind: Config
current-context: test
clusters:
- name: test
  cluster:
    server: https://127.0.0.1:$port
    certificate-authority: $data/certificates/apiserver.crt
users:
- name: test
  user:
    token: $token
contexts:
- name: test
  context: {cluster: test, user: test, namespace: default}
EOF

export OPENCONFIG_TEST_KUBECONFIG=$data/kubeconfig
if (($# > 0)); then
	"$@"
else
	echo "export OPENCONFIG_TEST_KUBECONFIG=$OPENCONFIG_TEST_KUBECONFIG"
	wait -n "${pids[@]}"
fi
