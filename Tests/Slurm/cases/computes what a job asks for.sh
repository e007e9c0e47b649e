. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << END
params: { partition: { type: string, default: short } }
executor: { use: cluster, time: 1m, partition: "\${{ params.partition }}" }
operations:
  - name: sizes
    value: [{ cpus: 2, memory: 100MiB }, { cpus: 3, memory: 1GiB }]
  - name: sized
    for_each: { in: "\${{ results.sizes }}", as: size }
    executor: { cpus: "\${{ size.cpus }}", memory: ["\${{ size.memory }}", 2GiB] }
    run: echo "\$SLURM_CPUS_PER_TASK \$SLURM_MEM_PER_NODE \$SLURM_JOB_PARTITION" >> $work/sizes
  - name: large
    executor: { cpus: "\${{ 10 + 10 }}" }
    allow_failure: true
    run: "true"
  - name: wrong
    executor: { memory: "\${{ 8 }}" }
    allow_failure: true
    run: "true"
END
penstock run pipeline.yaml > run.out 2>&1 || { cat run.out; fail "the run"; }
expect "$(sort sizes | tr '\n' ',')" "2 100 short,3 1024 short,"
expect "$(code large) $(code wrong)" "submit-refused submit-refused"
grep -q "asks for 20 of 'cpus', but the limit of 'cluster' is 16" run.out || { cat run.out; fail "the limit"; }
grep -q "'8' is not a value of 'memory'" run.out || { cat run.out; fail "the value"; }
