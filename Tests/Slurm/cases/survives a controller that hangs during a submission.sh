. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << EOF
executor: cluster
operations:
  - name: once
    run: echo begun >> $work/begun
EOF
slurm hang-controller
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 &
host=$!
sleep 14
slurm wake-controller
wait $host || { cat run.out; fail "the run"; }
expect "$(wc -l < begun)" 1
