. "$(dirname "$0")/../prelude.sh"
# No other process of this computer sleeps for so long.
nap=31$$
cat > pipeline.yaml << EOF
executor: cluster
operations:
  - name: long
    timeout: 1s
    grace: 1s
    run: trap '' TERM; setsid sleep $nap & sleep $nap
EOF
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 && fail "it succeeded"
expect "$(code long)" timeout
await queued 0
! pgrep -f "^sleep $nap" > /dev/null || fail "something was left running"
