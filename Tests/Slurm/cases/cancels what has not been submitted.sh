. "$(dirname "$0")/../prelude.sh"
sed -i 's/poll: 1s/poll: 1s, most: 1/' config/penstock/executors.yaml
cat > pipeline.yaml << EOF
executor: cluster
operations:
  - name: item
    for_each: { in: [1, 2, 3], concurrency: 3 }
    run: echo begun >> $work/begun; sleep 300
EOF
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 &
host=$!
await test -s begun
penstock cancel last > /dev/null
wait $host && fail "it succeeded" || expect $? 130
expect "$(squeue --me --noheader --states=all | wc -l)" 1
expect "$(cat begun)" begun
