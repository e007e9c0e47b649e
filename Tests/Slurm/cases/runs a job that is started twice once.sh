. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << EOF
executor: cluster
operations:
  - name: once
    run: echo begun >> $work/begun; sleep 3; echo done
    result: string
EOF
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 &
host=$!
await test -s begun
job=$(squeue --me --noheader --format=%A | head -n 1)
scontrol update job="$job" requeue=1
scontrol requeue "$job"
wait $host || true
expect "$(wc -l < begun)" 1
expect "$(penstock history sql 'SELECT count(*) FROM attempts' --csv | tail -n 1)" 1
