export PENSTOCK_TESTING_CLUSTER_PATIENCE=3
. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << END
executor: cluster
operations:
  - name: full
    for_each: { in: [1, 2, 3], as: n }
    executor: { cpus: 8, memory: 1GiB }
    run: echo begun >> $work/begun; while [ ! -e $work/go ]; do sleep 0.1; done
  - name: never
    executor: { partition: short, time: 5m }
    allow_failure: true
    run: "true"
END
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 &
host=$!
await begun 2
explains() { penstock explain last "$1" > explain.out 2>&1; tr -s '\n ' ' ' < explain.out | grep -q "$2"; }
await explains 'full[2]' 'has been waiting in Slurm job [0-9]*_2 for .*: PENDING (Resources), partition main, 8 CPUs, 1GiB'
explains 'full[2]' 'starts when enough processors' || { cat explain.out; fail "the sentence"; }
await eval '[ "$(code never)" = submit-refused ]'
penstock history sql "SELECT error FROM operations WHERE operation = 'never'" | grep -q 'PartitionTimeLimit.*over that of the partition' || fail "the refusal"
[ -z "$(squeue --noheader --states=PENDING --partition=short)" ] || fail "the job is still there"
slurm hang-controller
await explains 'full[2]' 'Slurm has not answered since .*; running jobs continue'
slurm wake-controller
await eval '! explains "full[2]" "has not answered"'
touch go
wait $host || { cat run.out; fail "the run"; }
