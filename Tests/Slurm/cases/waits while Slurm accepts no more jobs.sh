export SLURM_MAX_JOBS=4 SLURM_MIN_JOB_AGE=2
. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << 'END'
executor: cluster
operations:
  - name: many
    for_each: { in: [1, 2, 3, 4, 5, 6], as: n }
    run: sleep 1
END
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 &
host=$!
explains() { penstock explain last "$1" > explain.out 2>&1; tr -s '\n ' ' ' < explain.out | grep -q "$2"; }
await explains 'many[5]' "waiting to be submitted to 'cluster': Slurm accepts no more jobs at the moment"
wait $host || { cat run.out; fail "the run"; }
expect "$(penstock history sql 'SELECT count(*) FROM attempts' --csv | tail -n 1)" 6
