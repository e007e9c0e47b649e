. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << EOF
operations:
  - name: nowhere
    executor: { use: cluster, partition: nowhere }
    retry: { limit: 3, on: [submit-refused] }
    run: "true"
EOF
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 && fail "it succeeded"
expect "$(code nowhere)" submit-refused
grep -qi "invalid partition" run.out || { cat run.out; fail "the reason"; }
expect "$(penstock history sql 'SELECT count(*) FROM attempts' --csv | tail -n 1)" 1
