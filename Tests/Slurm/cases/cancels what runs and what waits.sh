. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << EOF
executor: cluster
operations:
  - name: runs
    run: trap 'echo asked >> $work/asked; exit 3' TERM; echo begun >> $work/begun; while :; do sleep 0.1; done
  - name: waits
    executor: { cpus: 8, memory: 5GiB }
    run: echo never >> $work/begun
EOF
sed -i 's/5GiB/4GiB/' pipeline.yaml
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 &
host=$!
await test -s begun
penstock cancel last > /dev/null
wait $host && fail "it succeeded" || expect $? 130
expect "$(cat asked)" asked
await test -z "$(squeue --me --noheader)"
