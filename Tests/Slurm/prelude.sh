# Sourced by each case: a cluster of its own, a workspace, and a file of the site. PENSTOCK is the program.
set -euo pipefail
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/penstock-cluster-XXXXXX")
export SLURM_TEST_DIR=$work/slurm XDG_CONFIG_HOME=$work/config PENSTOCK_WORKSPACE=$work/workspace PENSTOCK_LOG_TIMES=on
unset PENSTOCK_DURABILITY CI GITHUB_ACTIONS
mkdir -m 700 "$work/shared" "$work/slurm" "$work/bin"
mkdir -p "$work/config/penstock"
penstock() { "$PENSTOCK" "$@"; }
slurm() { "$tests/slurm-setup.sh" "$@"; }
fail() { echo "failed: $*" >&2; exit 1; }

finish() {
  local status=$?
  set +e
  for job in $(jobs -p); do kill -KILL "$job" 2> /dev/null; done
  if [ "$status" != 0 ]; then
    tail -n 20 "$work"/slurm/log/*.log "$work"/*.out "$work"/shared/*/*/slurm-*.log 2> /dev/null
    "$PENSTOCK" history sql "SELECT operation, state, error_code, error FROM operations" 2> /dev/null
  fi >&2
  slurm stop
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT

# Waits up to 40 seconds until a command succeeds.
await() {
  for ((try = 0; try < 400; try++)); do
    if "$@" > /dev/null 2>&1; then return; fi
    sleep 0.1
  done
  fail "in vain: $*"
}

# The error code of an operation in the latest run.
code() { penstock history sql "SELECT error_code FROM operations WHERE operation = '$1' ORDER BY run DESC LIMIT 1" --csv | tail -n 1; }
expect() { [ "$1" = "$2" ] || fail "expected '$2', found '$1'"; }

# Whether this many jobs wait or run.
queued() { [ "$(squeue --me --noheader | wc -l)" = "$1" ]; }

# Whether this many lines tell of beginnings.
begun() { [ "$(wc -l < begun)" -ge "$1" ]; }

slurm start
eval "$(slurm env)"
cat > "$work/config/penstock/executors.yaml" << EOF
executors:
  cluster:
    slurm:
      shared: $work/shared
      program: $PENSTOCK
      defaults: { cpus: 1, memory: 64MiB, time: 10m }
      limits: { cpus: 16 }
      queue: { window: 200ms, calls: 10/s, poll: 1s }
EOF
cd "$work"
