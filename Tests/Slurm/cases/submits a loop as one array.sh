. "$(dirname "$0")/../prelude.sh"
for client in sbatch squeue scancel; do
  printf '#!/bin/sh\necho %s >> %s/calls\nexec %s "$@"\n' $client "$work" "$(command -v $client)" > bin/$client
  chmod +x bin/$client
done
export PATH=$work/bin:$PATH
cat > pipeline.yaml << 'EOF'
executor: cluster
operations:
  - name: many
    for_each: { in: "${{ range(40) }}", as: n }
    command: [echo, "${{ n }}"]
    result: int
  - name: last
    executor: local
    command: [test, "${{ results.many[39] }}", "=", "39"]
EOF
sed -i "s|\${{ range(40) }}|[$(seq -s, 0 39)]|; s|\"\[|[|; s|\]\"|]|" pipeline.yaml
penstock run pipeline.yaml > run.out 2>&1 || { cat run.out; fail "the run"; }
expect "$(grep -c sbatch calls)" 1
