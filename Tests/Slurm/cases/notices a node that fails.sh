. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << EOF
executor: cluster
operations:
  - name: again
    retry: { limit: 1, base: 100ms, on: [node-failed] }
    run: echo begun >> $work/begun; test "\$PENSTOCK_ATTEMPT" = 2 || sleep 100
EOF
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 &
host=$!
await test -s begun
slurm kill-node "$(squeue --me --noheader --format=%N | tail -n 1 | tr -d n)"
wait $host || { cat run.out; fail "the run"; }
expect "$(penstock history sql 'SELECT error_code FROM attempts ORDER BY number LIMIT 1' --csv | tail -n 1)" node-failed
