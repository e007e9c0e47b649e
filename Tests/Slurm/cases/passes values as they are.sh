. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << 'EOF'
executor: cluster
params: { odd: { type: string, default: "a b %j '\"\n$(id) \\" } }
operations:
  - name: say
    command: [printf, '%s', "${{ params.odd }}"]
    result: string
  - name: variable
    env: { ODD: "${{ params.odd }}" }
    run: printf '%s' "$ODD"
    result: string
  - name: input
    inject: say
    run: cat; echo seen >&2
    result: string
  - name: file
    run: printf '{"n":[1,2]}' > "$PENSTOCK_RESULT"; pwd; printf '%s' "${SLURM_JOB_NAME%%-*}"
    result: { n: [int] }
  - name: check
    value: ${{ results.say == params.odd && results.variable == params.odd && results.input == params.odd && results.file.n[1] == 2 }}
  - name: here
    executor: local
    run: test -z "${SLURM_JOB_NAME:-}"
EOF
penstock run pipeline.yaml --result check > run.out 2>&1 || { cat run.out; fail "the run"; }
grep -qx true run.out || { cat run.out; fail "the values"; }
expect "$(penstock logs last input | grep -c seen)" 1
expect "$(penstock logs last file | grep -cx "$work")" 1
expect "$(ls shared | wc -l)" 0
