#!/usr/bin/env bash
# Verifies the models of the device lock: the right ones must hold in every
# state, each broken variant must give a counterexample. Prints a table; fails
# if a result is not the expected one. Needs spin 6.5 and gcc, 1 GiB of memory
# for one run at a time, and up to three minutes.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for tool in spin gcc; do
	if ! command -v "$tool" >/dev/null; then
		echo "run.sh needs spin (https://spinroot.com) and gcc; $tool is not on the PATH." >&2
		exit 2
	fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

failed=0
printf '%-10s %-24s %-10s %-10s %10s %8s %7s\n' model variant expected found states MiB seconds

# check MODEL EXPECTED [FLAG...] verifies one variant.
check() {
	local model=$1 expected=$2 found=unknown variant=${*:3}
	shift 2
	local build=(-w -O1 -DMEMLIM=1024) search=(-m500000)
	if [[ $model == turns ]]; then
		search+=(-a -f)
	else
		build+=(-DSAFETY)
	fi
	rm -rf ./*
	cp "$here/$model.pml" .
	spin -a "${@/#/-D}" "$model.pml" >log 2>&1 && gcc "${build[@]}" -o pan pan.c >>log 2>&1 ||
		{ cat log >&2; exit 1; }
	timeout 300 ./pan "${search[@]}" >log 2>&1 || true
	if grep -q 'errors: [1-9]' log && grep -qE 'assertion violated|acceptance cycle' log; then
		found=error
	elif grep -q 'errors: 0' log && ! grep -qiE 'not completed|max search depth too small|out of memory|memory limit' log; then
		found=holds
	fi
	printf '%-10s %-24s %-10s %-10s %10s %8.0f %7.1f\n' "$model" "${variant:-right}" "$expected" "$found" \
		"$(awk '/states, stored/ {print $1; exit}' log)" \
		"$(awk '/total actual memory/ {print $1}' log)" \
		"$(awk '/elapsed time/ {print $4}' log)"
	if [[ $found != "$expected" ]]; then
		failed=1
		cat log >&2
	fi
}

check lock holds
check lock error NO_LOCK_DELAY
check lock error NO_CHECK
check lock error NO_MARGIN
check lock error FROM_ANSWER
check lock error NO_SIT_OUT
check lock error EARLY_RELEASE
check lock error PAUSE
check lock error CUT_OFF
check lock holds FENCED PAUSE N=3
check lock error FENCED PAUSE NO_HELLO
check lock error FENCED PAUSE SPLIT
check turns holds
check turns error BARGING
check turns error LAST_FIRST
check turns error NO_PRIORITY
check turns error NO_YIELD
check turns error NO_COHORT
check turns error NO_PREEMPTION
check turns error NO_LAPSE
check turns error ENDLESS

exit "$failed"
