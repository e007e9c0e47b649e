. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << EOF
executor: cluster
operations:
  - name: runs
    run: echo begun >> $work/begun; sleep 60
  - name: waits
    executor: { cpus: 8, constraint: none }
    run: echo never
EOF
sed -i '/constraint/d' pipeline.yaml
sed -i 's|  - name: waits|  - name: waits\n    executor: { partition: closed }|' pipeline.yaml
scontrol create partitionname=closed nodes=ALL state=DOWN maxtime=INFINITE
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 &
host=$!
await test -s begun
await sh -c 'squeue --me --noheader --states=PENDING | grep -q .'
scancel --user="$(id -un)"
wait $host && fail "it succeeded"
expect "$(code runs)" cancelled-outside
expect "$(code waits)" cancelled-outside
