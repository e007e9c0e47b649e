. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << EOF
executor: cluster
operations:
  - name: slow
    for_each: { in: [1, 2, 3, 4, 5, 6], as: n }
    env: { N: "\${{ n }}" }
    run: echo "\$N" >> $work/begun; sleep 4; echo "\$N"
    result: int
EOF
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 &
host=$!
await begun 3
kill -KILL $host
wait $host 2> /dev/null || true
penstock resume last > resume.out 2>&1 || { cat resume.out; fail "resume"; }
expect "$(sort begun | tr -d '\n')" 123456
