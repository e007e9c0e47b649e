. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << END
executor: cluster
operations:
  - name: again
    retry: { limit: 1, base: 100ms, on: [node-failed] }
    run: echo "\$SLURMD_NODENAME" >> $work/begun; test "\$PENSTOCK_ATTEMPT" = 2 || sleep 100
END
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 &
host=$!
await test -s begun
node=$(cat begun)
slurm kill-node "${node#n}"
# It is back before the second attempt.
await eval 'squeue --me --states=all --noheader --format=%T | grep -q NODE_FAIL'
slurm start-node "${node#n}"
wait $host || { cat run.out; fail "the run"; }
expect "$(wc -l < begun)" 2
[ "$(tail -n 1 begun)" != "$node" ] || fail "it ran on $node again"
scontrol show job | grep -q "ExcNodeList=$node" || fail "the node is not excluded"
