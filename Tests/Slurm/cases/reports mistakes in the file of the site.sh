. "$(dirname "$0")/../prelude.sh"
printf 'executor: clusterr\noperations: [{ name: a, executor: { cpus: 32, memory: 8 }, run: "true" }]\n' > pipeline.yaml
penstock check pipeline.yaml > check.out 2>&1 && fail "it is valid"
grep -q "needs a size with its unit, found '8'" check.out || { cat check.out; fail "the size"; }
sed -i 's/, memory: 8//' pipeline.yaml
penstock check pipeline.yaml > check.out 2>&1 && fail "it is valid"
grep -q "did you mean 'cluster'" check.out || { cat check.out; fail "the name"; }
sed -i 's/clusterr/cluster/' pipeline.yaml
penstock check pipeline.yaml > check.out 2>&1 && fail "it is valid"
grep -q "the limit of 'cluster' is 16" check.out || { cat check.out; fail "the limit"; }
sed -i 's/32/2/' pipeline.yaml
penstock check pipeline.yaml > check.out 2>&1 || { cat check.out; fail "it is not valid"; }
sed -i 's/limits:.*/limits: { cores: 2 }\n      small: {}\n      options: [--array=1-2, --job=x, --help]/' config/penstock/executors.yaml
penstock check pipeline.yaml > check.out 2>&1 && fail "it is valid"
for words in "has no key 'cores'" "'small' is not available" "'--array' is set by penstock itself" \
  "'--job' is set by penstock itself" "with '--help', sbatch submits nothing"; do
  grep -q -- "$words" check.out || { cat check.out; fail "$words"; }
done
rm config/penstock/executors.yaml
penstock check pipeline.yaml > check.out 2>&1 && fail "it is valid"
grep -q "/etc/penstock/executors.yaml" check.out || { cat check.out; fail "the places"; }
penstock run pipeline.yaml --executor local > run.out 2>&1 || { cat run.out; fail "the run here"; }
