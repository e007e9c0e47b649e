. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << EOF
executor: cluster
operations:
  - name: long
    timeout: 1s
    grace: 1s
    run: trap '' TERM; setsid sleep 300 & sleep 300
EOF
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 && fail "it succeeded"
expect "$(code long)" timeout
await test -z "$(squeue --me --noheader)"
! pgrep -f "^sleep 300" > /dev/null || fail "something was left running"
