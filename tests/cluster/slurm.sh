#!/usr/bin/env bash
# An experiment as a job array of a real Slurm: munge, slurmctld and slurmd run here, on ports and in a folder of their
# own, with two slots; one task is stopped in the middle and started again. The merged report must be that of one process.
# For ./dev cluster, which installs the daemons. Nothing of the machine's own Slurm is touched.
. "$(dirname "$0")/../cli/lib.bash"
host=$(hostname -s) user=$(id -un) port=$((20000 + RANDOM % 20000))
export SLURM_CONF=$tmp/slurm.conf
mkdir -m 700 "$tmp/munge" "$tmp/state" "$tmp/spool"
head -c 1024 /dev/urandom >"$tmp/munge/key"
chmod 600 "$tmp/munge/key"
cat >"$SLURM_CONF" <<EOT
ClusterName=stowage
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$tmp/munge/socket
CredType=cred/munge
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd.pid
SlurmctldLogFile=$tmp/slurmctld.log
SlurmdLogFile=$tmp/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobRequeue=1
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOT

stop() {
    scancel --quiet --user="$user" 2>/dev/null
    for name in slurmd slurmctld munge/munged; do
        [ ! -s "$tmp/$name.pid" ] || kill "$(cat "$tmp/$name.pid")" 2>/dev/null
    done
    sleep 1
    rm -rf "$tmp" "$home"
}
trap stop EXIT
check "munged starts" munged --force --key-file="$tmp/munge/key" --socket="$tmp/munge/socket" --num-threads=2 \
    --pid-file="$tmp/munge/munged.pid" --log-file="$tmp/munge/log" --seed-file="$tmp/munge/seed"
check "slurmctld starts" slurmctld
check "slurmd starts" slurmd -N "$host"

# Until a command says yes, a minute at most.
until_so() {
    local i
    for ((i = 0; i < 120; i++)); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.5
    done
    return 1
}
idle() { [ "$(sinfo -h -o %t)" = idle ]; }
check "the machine is ready" until_so idle || cat "$tmp"/*.log

# Every case takes about a second.
cat >"$tmp/sweep.lua" <<'EOT'
return {
  name = "sweep",
  cases = function()
    local list = {}
    for i = 1, 10 do list[i] = {i = i} end
    return list
  end,
  run = function(case)
    local sum = 0
    for k = 1, 3e7 do sum = (sum + k * case.i) % 9973 end
    return {sum = sum}
  end,
  report = function(rows, out) out:table(rows, {"i", "sum"}) end,
}
EOT
cd "$tmp" || exit 1
"$STOWAGE" run sweep.lua --trust >one.txt
cat >job.sh <<EOT
#!/bin/sh
touch "begun.\$SLURM_ARRAY_TASK_ID.\${SLURM_RESTART_COUNT:-0}"
exec "$STOWAGE" run sweep.lua --trust --shard auto -o "\$SLURM_ARRAY_TASK_ID.\${SLURM_RESTART_COUNT:-0}.jsonl"
EOT
job=$(sbatch --parsable --requeue --array=10-25:5 --output=/dev/null --error=task.%a.err job.sh)
check "the array is taken" [ -n "$job" ]
check "its second task begins" until_so test -e begun.15.0
sleep 0.5
check "and is put back in the middle" scontrol requeue "${job}_15"
over() { [ -z "$(squeue -h -j "$job" 2>/dev/null)" ]; }
again() { # a task that was put back waits for two minutes, unless told
    scontrol update jobid="${job}_15" starttime=now
    test -e begun.15.1
}
check "it is started again" until_so again
check "all tasks end" until_so over
check "no task complained" same "" "$(cat task.*.err 2>/dev/null | grep -v '^slurmstepd')"
check "the first try of that task left no file" [ ! -e 15.0.jsonl ]
check "each task has its part" same "1 5 9 2 6 10 3 7 4 8 " \
    "$(cat 10.0.jsonl 15.1.jsonl 20.0.jsonl 25.0.jsonl | jq -r .case | tr '\n' ' ')"
run run sweep.lua --trust --merge ./*.jsonl
check "merged: what one process says" cmp out one.txt
cp 15.1.jsonl 15.2.jsonl # a try that had ended before it was put back
run run sweep.lua --trust --merge ./*.jsonl
check "merged with a part twice: the same" cmp out one.txt
finish
