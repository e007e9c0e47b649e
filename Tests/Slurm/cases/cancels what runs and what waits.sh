# One node, so that what needs all of it waits.
export SLURM_NODES=1
. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << EOF
executor: cluster
operations:
  - name: runs
    run: trap 'echo asked >> $work/asked; exit 3' TERM; echo begun >> $work/begun; while :; do sleep 0.1; done
  - name: waits
    executor: { cpus: 8 }
    run: echo never >> $work/begun
EOF
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 &
host=$!
await test -s begun
# Until both are in Slurm: what has not been submitted does not wait there.
await queued 2
penstock cancel last > /dev/null
wait $host && fail "it succeeded" || expect $? 130
expect "$(cat asked)" asked
expect "$(cat begun)" begun
await queued 0
