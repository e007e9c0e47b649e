. "$(dirname "$0")/../prelude.sh"
# The first job ends before it can claim its attempt.
cat > bin/penstock << EOF
#!/bin/sh
mkdir $work/first 2> /dev/null && exit 1
exec "$PENSTOCK" "\$@"
EOF
chmod +x bin/penstock
sed -i "s|program: .*|program: $work/bin/penstock|" config/penstock/executors.yaml
cat > pipeline.yaml << EOF
executor: cluster
operations: [{ name: a, run: echo begun >> $work/begun }]
EOF
"$PENSTOCK" run pipeline.yaml > run.out 2>&1
expect "$(cat begun)" begun
expect "$(penstock history sql --csv "SELECT count(*) FROM attempts" | tail -n 1)" 1
