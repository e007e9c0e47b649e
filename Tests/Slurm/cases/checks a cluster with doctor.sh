. "$(dirname "$0")/../prelude.sh"
penstock doctor --executor cluster --probe > doctor.out 2>&1 || { cat doctor.out; fail "doctor"; }
for words in "clients: Slurm 22.05" "controller: .*is UP" "defaults: Slurm accepts a job .* in the partition 'main'" "MinJobAge: ended jobs" \
  "memory limits: not kept by control groups" "probe: job [0-9]*_0 started after" "probe: the node runs penstock" \
  "probe: its output was seen here" "probe: a request to end reached the job on node n"; do
  grep -q "$words" doctor.out || { cat doctor.out; fail "$words"; }
done
expect "$(ls "$work/shared" | wc -l)" 0
sed -i 's/poll: 1s/poll: 200s, array: 10001/; s/defaults: {/partition: nowhere\n      defaults: {/' config/penstock/executors.yaml
penstock doctor --executor cluster --json > doctor.out 2>&1 && fail "it is healthy"
for words in '"grade":"fail","subject":"MinJobAge".*at most 100s' '"grade":"fail","subject":"MaxArraySize".*set it to 10000' \
  '"grade":"fail","subject":"defaults".*Invalid partition'; do
  grep -q "$words" doctor.out || { cat doctor.out; fail "$words"; }
done
chmod o+w "$work/shared"
penstock doctor --executor cluster > doctor.out 2>&1 && fail "it is healthy"
grep -q "fail  shared: .*chmod go-w" doctor.out || { cat doctor.out; fail "shared"; }
penstock doctor --executor clustr > doctor.out 2>&1 && fail "it is healthy"
grep -q "no executor 'clustr'; it has cluster" doctor.out || { cat doctor.out; fail "the name"; }
penstock doctor --probe > doctor.out 2>&1 && fail "it is valid"
slurm kill-controller
penstock doctor --executor cluster > doctor.out 2>&1 && fail "it is healthy"
grep -q "fail  controller: " doctor.out || { cat doctor.out; fail "the controller"; }
