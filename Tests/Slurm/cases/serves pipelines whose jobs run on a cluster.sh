. "$(dirname "$0")/../prelude.sh"
mkdir pipelines
cat > pipelines/one.yaml << EOF
executor: cluster
operations: [{ name: a, run: 'echo "\${SLURM_JOB_NAME:+begun}" >> $work/begun' }]
EOF
# Operations do not inherit the host's SLURM_CONF, but the clients need it.
"$PENSTOCK" serve pipelines > host.out 2>&1 &
host=$!
ready() { penstock history sql "SELECT state FROM hosts" --csv | grep -q ready; }
await ready
penstock start one --follow > run.out
expect "$(cat begun)" begun
kill -TERM $host
wait $host
