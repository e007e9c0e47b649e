. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << EOF
executor: cluster
operations:
  - name: quick
    for_each: { in: [1, 2, 3, 4, 5, 6, 7, 8], as: n, concurrency: 4 }
    env: { N: "\${{ n }}" }
    run: echo "\$N" >> $work/begun
EOF
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 &
host=$!
await penstock history show last
for pause in 0.2 0.5 0.9 1.4 0.3; do
  sleep "$pause"
  kill -KILL $host 2> /dev/null || true
  wait $host 2> /dev/null || true
  "$PENSTOCK" resume last > resume.out 2>&1 &
  host=$!
done
wait $host || grep -q succeeded <(penstock history list) || { cat resume.out; fail "resume"; }
expect "$(sort begun | tr -d '\n')" 12345678
