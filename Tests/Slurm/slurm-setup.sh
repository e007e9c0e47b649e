#!/bin/bash
# A real Slurm on this computer, for tests: without systemd, in one folder, on the loopback interface, in about a second.
#
#   slurm-setup.sh start              writes the configuration, starts munged, slurmctld and the nodes, and waits until they are idle
#   slurm-setup.sh env                prints what a shell needs: eval "$(slurm-setup.sh env)"
#   slurm-setup.sh kill-controller | start-controller
#   slurm-setup.sh hang-controller | wake-controller
#   slurm-setup.sh kill-node N | start-node N      a node goes down with all that it runs, and comes back
#   slurm-setup.sh stop
#
# SLURM_TEST_DIR is the folder, which only its owner can read. SLURM_NODES (2), SLURM_CPUS (8) and SLURM_MEMORY (4096 MiB) are what the nodes claim.
# SLURM_NODE_TIMEOUT (10 s) is how long a node may be silent. SLURM_MAX_JOBS (20000) and SLURM_MIN_JOB_AGE (300 s) are limits of the controller. The partition `short` allows one minute.
# The packages are slurmctld, slurmd, slurm-client and munge of Debian 12.
set -euo pipefail
umask 077
folder=${SLURM_TEST_DIR:?name the folder}
nodes=${SLURM_NODES:-2}
export SLURM_CONF=$folder/slurm.conf
export PATH=$PATH:/usr/sbin
libraries=/usr/lib/$(uname -m)-linux-gnu/slurm-wlm

die() { echo "slurm-setup: $*" >&2; exit 1; }
runs() { [ -s "$1" ] && kill -0 "$(cat "$1")" 2> /dev/null; }

# Ports of the loopback interface on which nobody listens.
free_ports() {
  local port=$((20000 + RANDOM % 10000)) used found=()
  used=$(awk 'FNR > 1 { split($2, part, ":"); print part[2] }' /proc/net/tcp /proc/net/tcp6 2> /dev/null)
  while [ ${#found[@]} -lt "$1" ]; do
    port=$((port + 1))
    grep -qix "$(printf %04X $port)" <<< "$used" || found+=("$port")
  done
  echo "${found[@]}"
}

write_configuration() {
  local ports host
  host=$(hostname -s)
  read -ra ports <<< "$(free_ports $((nodes + 1)))"
  mkdir -p "$folder"/{state,log,run,munge,sbin}
  chmod 700 "$folder" "$folder/munge"
  # A slurmstepd that is not called so takes itself for another program.
  for name in slurmctld slurmd slurmstepd; do ln -sfn "/usr/sbin/$name-wlm" "$folder/sbin/$name"; done
  head -c 1024 /dev/urandom > "$folder/munge/key"
  chmod 400 "$folder/munge/key"
  cat > "$SLURM_CONF" << EOF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
PluginDir=$libraries
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/run/controller.pid
SlurmdPidFile=$folder/run/%n.pid
SlurmctldLogFile=$folder/log/controller.log
SlurmdLogFile=$folder/log/%n.log
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmdParameters=config_overrides
SlurmctldTimeout=10
SlurmdTimeout=${SLURM_NODE_TIMEOUT:-10}
MessageTimeout=10
KillWait=2
TCPTimeout=5
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=5,default_queue_depth=1000
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=64
MaxJobCount=${SLURM_MAX_JOBS:-20000}
MaxArraySize=10001
MinJobAge=${SLURM_MIN_JOB_AGE:-300}
AccountingStorageType=accounting_storage/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=2
JobAcctGatherParams=OverMemoryKill
EOF
  for ((node = 1; node <= nodes; node++)); do
    echo "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[node]} CPUs=${SLURM_CPUS:-8} RealMemory=${SLURM_MEMORY:-4096} State=UNKNOWN"
  done >> "$SLURM_CONF"
  echo "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE DefaultTime=60 State=UP" >> "$SLURM_CONF"
  echo "PartitionName=short Nodes=ALL MaxTime=1 State=UP" >> "$SLURM_CONF"
  # slurmd looks for control groups although nothing uses them, and ends where there are none; a named version keeps it from looking.
  printf 'CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\n' > "$folder/cgroup.conf"
}

start_munge() {
  # --force: the folder may be below one that others can write to, such as /tmp; the key is not.
  munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" --num-threads=2 2> "$folder/log/munge-start.log" \
    || die "munged: $(tail -n 3 "$folder/log/munge-start.log")"
}

start_controller() { runs "$folder/run/controller.pid" || "$folder/sbin/slurmctld" -f "$SLURM_CONF" || die "slurmctld does not start"; }

start_node() {
  mkdir -p "$folder/spool-n$1"
  setsid "$folder/sbin/slurmd" -N "n$1" -f "$SLURM_CONF" -d "$folder/sbin/slurmstepd" ${2:-} || die "slurmd of n$1 does not start"
}

# A node whose registration comes too early is down until the controller asks for it again.
await_controller() {
  for ((try = 0; try < 100; try++)); do
    scontrol ping 2> /dev/null | grep -q UP && return
    sleep 0.05
  done
  die "slurmctld does not answer"
}

await_nodes() {
  for ((try = 0; try < 300; try++)); do
    [ "$(sinfo --noheader --Node --partition=main --format=%T 2> /dev/null | grep -cE '^(idle|mixed|allocated)$')" = "$nodes" ] && return
    sleep 0.1
  done
  die "the nodes do not come up: $(tail -n 5 "$folder"/log/*.log)"
}

# Ends one of our daemons by the id in its file, if that still is one.
end_daemon() {
  runs "$1" || return 0
  local id
  id=$(cat "$1")
  grep -qE 'slurmctld|slurmd|munged' "/proc/$id/comm" 2> /dev/null || return 0
  kill "-${2:-TERM}" "$id"
  for ((try = 0; try < 100; try++)); do kill -0 "$id" 2> /dev/null || break; sleep 0.1; done
  ! kill -0 "$id" 2> /dev/null || kill -KILL "$id"
  rm -f "$1"
}

# The step daemons of a node, which outlive slurmd: each listens at a socket in the folder of the node.
steps_of() {
  local inode descriptor
  for inode in $(awk -v prefix="$folder/spool-n$1/n$1_" 'index($8, prefix) == 1 { print $7 }' /proc/net/unix); do
    for descriptor in /proc/[0-9]*/fd/*; do
      [ "$(readlink "$descriptor" 2> /dev/null)" = "socket:[$inode]" ] || continue
      descriptor=${descriptor#/proc/}
      echo "${descriptor%%/*}"
    done
  done | sort -u
}

children_of() { awk -v parent="$1" '{ id = $1; sub(/^.*\) /, ""); if ($2 == parent) print id }' /proc/[0-9]*/stat 2> /dev/null || true; }

# Everything below a process, from the leaves.
kill_tree() {
  local child
  for child in $(children_of "$1"); do kill_tree "$child"; done
  kill -KILL "$1" 2> /dev/null || true
}

case ${1:-} in
start)
  [ -x /usr/sbin/slurmctld-wlm ] && [ -x /usr/sbin/slurmd-wlm ] && command -v munged > /dev/null || die "install slurmctld slurmd slurm-client munge"
  ! runs "$folder/run/controller.pid" || die "it runs already in $folder"
  write_configuration
  start_munge
  start_controller
  await_controller
  for ((node = 1; node <= nodes; node++)); do start_node $node; done
  await_nodes
  ;;
env) echo "export SLURM_CONF=$SLURM_CONF" ;;
kill-controller) end_daemon "$folder/run/controller.pid" KILL ;;
start-controller) start_controller ;;
hang-controller) kill -STOP "$(cat "$folder/run/controller.pid")" ;;
wake-controller) kill -CONT "$(cat "$folder/run/controller.pid")" ;;
kill-node)
  end_daemon "$folder/run/n$2.pid" KILL
  for step in $(steps_of "$2"); do kill_tree "$step"; done
  rm -f "$folder/spool-n$2/n$2_"*
  ;;
start-node) start_node "$2" "${3:-}" ;;
stop)
  if runs "$folder/run/controller.pid"; then
    timeout 5 scancel --user="$(id -un)" 2> /dev/null || true
    sleep 0.5
  fi
  for file in "$folder"/run/n*.pid "$folder/run/controller.pid" "$folder/munge/pid"; do end_daemon "$file"; done
  ;;
*) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"; exit 2 ;;
esac
