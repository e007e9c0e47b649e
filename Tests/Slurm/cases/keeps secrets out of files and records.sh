. "$(dirname "$0")/../prelude.sh"
export TOKEN=moon-value-4711
cat > pipeline.yaml << END
executor: cluster
secrets: { token: { env: TOKEN } }
operations:
  - name: works
    env: { T: "\${{ secrets.token }}" }
    stdin: "\${{ secrets.token }}!"
    run: |
      read -r line || true
      [ "\$line" = "\$T!" ] || exit 3
      echo "value \$T"; echo "error \$T" >&2; printf '%s' "\$T" | base64
      echo begun >> $work/begun
      while [ ! -e $work/go ]; do sleep 0.1; done
      echo "end \$line"
  - name: waits
    executor: { partition: short, time: 5m }
    env: { T: "\${{ secrets.token }}" }
    run: "true"
END
"$PENSTOCK" run pipeline.yaml > run.out 2>&1 &
host=$!
await begun 1
unset TOKEN
# What has not begun has its secrets in a file of its own, which is the only one.
found=$(grep -rl -e moon-value-4711 -e bW9vbi12YWx1ZS00NzEx "$work/shared" "$work/slurm" || true)
[ "$(echo "$found" | grep -c .)" -le 1 ] || fail "$found"
for file in $found; do expect "$(basename "$file") $(stat --format=%a "$file")" "secrets 600"; done
scontrol show job --details > jobs.out
grep -q moon-value jobs.out && fail "the record of the job"
grep -laq moon-value /proc/[0-9]*/cmdline 2> /dev/null && fail "the list of processes"
await eval "penstock logs last works | grep -q 'value \*\*\*'"
touch go
await eval 'penstock history sql "SELECT state FROM operations WHERE operation = '"'works'"'" | grep -q succeeded'
"$PENSTOCK" cancel last > /dev/null
wait $host || true
penstock logs last works > logs.out 2>&1
for words in 'value \*\*\*' 'error \*\*\*' 'end \*\*\*!'; do grep -q "$words" logs.out || { cat logs.out; fail "$words"; }; done
grep -rl -e moon-value-4711 -e bW9vbi12YWx1ZS00NzEx "$work/shared" "$work/slurm" "$work/workspace" run.out && fail "it is in a file" || true
