. "$(dirname "$0")/../prelude.sh"
cat > pipeline.yaml << EOF
executor: cluster
operations:
  - name: hungry
    executor: { memory: [32MiB, 512MiB] }
    retry: { limit: 1, base: 100ms, on: [out-of-memory] }
    command: [python3, -c, "import time; a = bytearray(150 << 20); time.sleep(7)"]
EOF
penstock run pipeline.yaml > run.out 2>&1 || { cat run.out; fail "the run"; }
expect "$(penstock history sql 'SELECT error_code FROM attempts ORDER BY number LIMIT 1' --csv | tail -n 1)" out-of-memory
