. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << END
executor: cluster
operations:
  - name: slow
    timeout: 15s
    run: echo begun >> $work/begun; while [ ! -e $work/go ]; do sleep 0.1; done
END
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 &
host=$!
await begun 1
job=$(squeue --me --noheader --format=%A | head -n 1)
explains() { penstock explain last slow > explain.out 2>&1; tr -s '\n ' ' ' < explain.out | grep -q "$1"; }
scontrol suspend "$job"
await explains "it is suspended in Slurm job ${job}_0"
# Longer than the timeout, which pauses.
sleep 18
scontrol resume "$job"
await eval '! explains suspended'
touch go
wait $host || { cat run.out; fail "the run"; }
