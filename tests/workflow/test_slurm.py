"""Studies on SLURM: same bytes as here, and jobs that fail are tried again.

The tests start a SLURM of their own, with what Debian's packages slurmctld, slurmd and
slurm-client bring, without authentication or accounting: of one node, or of two, whose
daemons both run on this machine.
"""

import getpass
import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from contextlib import ExitStack, contextmanager

import pytest
import yaml

from microleak.base.paths import ROOT
from tests.examples import long
from tests.workflow.conftest import CSV_STUDY, PEOPLE, Study
from tests.workflow.test_kill import kill_tree

pytestmark = pytest.mark.workflow
PROFILE = ROOT / "profiles/slurm"
COUNTED = "results/people/measures/ingest.csv"
PROFILED = "results/people/profiles/people/1.parquet"
TABLE = "results/people/tables/people/1.parquet"
SRUN = shutil.which("srun")
"""SLURM's own, as each cluster puts another one before it on the path."""
ON_SLURM = (
    f"--workflow-profile={PROFILE}",
    "--slurm-init-seconds-before-status-checks=5",
    "--slurm-status-command=squeue",
)
"""It looks when a job should have ended: after 5 seconds, 15 later and 25 later."""

CONFIG = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
SlurmdParameters=config_overrides
MinJobAge=3600
KillWait=1
PartitionName=all Nodes=ALL Default=YES State=UP
"""
NODE = """\
NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} \
RealMemory=64000
"""


def which(command):
    """Return the path of a program, also of one that only root has on its path."""
    return shutil.which(command, path=f"{os.environ['PATH']}:/usr/sbin")


class Cluster:
    """A SLURM of nodes of which more memory and cores are told than there are."""

    def __init__(self, folder, nodes):
        self.folder, self.nodes = folder, nodes
        port, *ports = free_ports(1 + len(nodes))
        host, user = socket.gethostname().partition(".")[0], getpass.getuser()
        text = CONFIG.format(host=host, port=port, user=user, folder=folder)
        for (name, cpus), port in zip(nodes.items(), ports, strict=True):
            text += NODE.format(name=name, host=host, port=port, cpus=cpus)
            (folder / f"spool-{name}").mkdir()
        (folder / "slurm.conf").write_text(text)
        # The plugin takes SLURM_CONF away from what runs in a job.
        srun = folder / "bin" / "srun"
        srun.parent.mkdir()
        srun.write_text(
            f"#!/bin/sh\nSLURM_CONF='{folder}/slurm.conf' exec {SRUN} \"$@\"\n"
        )
        srun.chmod(0o755)

    def start(self):
        nodes = (["slurmd", "-N", name] for name in self.nodes)
        for daemon, *words in (["slurmctld"], *nodes):
            command = [which(daemon), *words, "-f", self.folder / "slurm.conf"]
            if subprocess.run(command, check=False).returncode:
                pytest.skip(f"{daemon} does not start on this machine")
        for _ in range(200):
            states = self.said("sinfo", "--noheader", "--Node", "--format=%T").split()
            if states == ["idle"] * len(self.nodes):
                return
            time.sleep(0.1)
        pytest.skip("SLURM's nodes do not come up on this machine")

    def stop(self):
        for daemon in (*(f"slurmd-{name}" for name in self.nodes), "slurmctld"):
            file = self.folder / f"{daemon}.pid"
            if file.exists():
                os.kill(int(file.read_text()), signal.SIGTERM)

    def said(self, *words):
        done = subprocess.run(words, check=False, capture_output=True, text=True)
        return done.stdout

    def jobs(self, rule):
        """State and MiB asked for of each job of a rule or group, in order."""
        lines = self.said(
            "squeue", "--states=all", "--noheader", "--sort=i", "--format=%i %k %T %m"
        )
        return [
            (number, state, memory)
            for number, comment, state, memory in map(str.split, lines.splitlines())
            if comment.startswith(f"rule_{rule}")
        ]

    def wait_for(self, rule, state, process):
        """Wait until a job of a rule is in a state; give its number."""
        while process.poll() is None:
            for number, found, _ in self.jobs(rule):
                if found == state:
                    return number
            time.sleep(0.05)
        return pytest.fail(process.communicate()[0])


def free_ports(n):
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


@contextmanager
def running(folder, nodes):
    """A SLURM of some nodes, to which all commands turn."""
    for command in ("sbatch", "slurmctld", "slurmd"):
        if which(command) is None:
            pytest.skip(f"there is no {command} (in Debian slurmctld and slurmd)")
    if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.skip("snakemake-executor-plugin-slurm is not installed")
    cluster = Cluster(folder, nodes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLURM_CONF", str(cluster.folder / "slurm.conf"))
        patch.setenv("PATH", str(cluster.folder / "bin"), prepend=":")
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.stop()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with running(tmp_path_factory.mktemp("slurm"), {"one": 8}) as cluster:
        yield cluster


@pytest.fixture
def here(tmp_path):
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    return Study(folder, "people", CSV_STUDY)


@pytest.mark.long
def test_jobs_that_are_killed_or_lack_memory_get_more_and_the_bytes_are_the_same(
    cluster, csv_study, here
):
    assert here.run(words=["--", COUNTED, PROFILED]).returncode == 0
    little = "--set-resources=count_rows:mem_mb=attempt * attempt * 150"
    process = csv_study.start(words=["--", *ON_SLURM, little, COUNTED, PROFILED])
    number = cluster.wait_for("profile", "RUNNING", process)
    cluster.said("scancel", "--signal=KILL", "--full", number)
    output = process.communicate()[0]
    assert process.returncode == 0, output
    assert csv_study.bytes() == here.bytes()
    tried = [memory for _, _, memory in cluster.jobs("profile")]
    assert tried == ["8000M", "16000M"]
    tried = [memory for _, _, memory in cluster.jobs("count_rows")]
    assert tried == ["150M", "600M"]


@pytest.mark.parametrize("option", ["--workflow-profile", *long("--profile")])
def test_as_a_profile_of_the_workflow_or_the_user_it_submits_the_same_jobs(
    cluster, csv_study, here, option
):
    assert here.run(words=["--", TABLE]).returncode == 0
    before = len(cluster.jobs("release"))
    _, *others = ON_SLURM
    csv_study.output_of(words=["--", f"{option}={PROFILE}", *others, TABLE])
    assert csv_study.bytes() == here.bytes()
    assert len(cluster.jobs("release")) == before + 1


@pytest.mark.long
def test_parts_of_two_nodes_have_the_bytes_of_one(tmp_path_factory, csv_study, here):
    assert here.run(words=["--", PROFILED]).returncode == 0
    csv_study.change("sensitive: [ill]}", "sensitive: [ill], parts: 4}")
    with running(tmp_path_factory.mktemp("slurm"), {"one": 2, "two": 2}) as cluster:
        csv_study.output_of(words=["--", *ON_SLURM, PROFILED])
        ran_on = cluster.said("squeue", "--states=all", "--noheader", "--format=%k %N")
    jobs = [line.split() for line in ran_on.splitlines()]
    nodes = [node for rule, node in jobs if rule.startswith("rule_profile_part")]
    assert sorted(set(nodes)) == ["one", "two"] and len(nodes) == 4
    assert (
        csv_study.bytes()["profiles/people/1.parquet"]
        == (here.bytes()["profiles/people/1.parquet"])
    )


@pytest.mark.long
def test_jobs_left_in_the_queue_are_named_to_be_cancelled(cluster, csv_study, here):
    assert here.run(words=["--", TABLE]).returncode == 0
    cluster.said("scontrol", "update", "PartitionName=all", "State=DOWN")
    process = csv_study.start(words=["--", *ON_SLURM, TABLE])
    cluster.wait_for("release", "PENDING", process)
    kill_tree(process)
    for command in ("run", "resume"):
        refused = csv_study.run(command, words=["--", *ON_SLURM, TABLE])
        assert refused.returncode == 1
        assert refused.output.count("\n") == 1
    cancel = re.search(r"scancel --name=\S+", refused.output)[0]
    cluster.said(*cancel.split())
    cluster.said("scontrol", "update", "PartitionName=all", "State=UP")
    csv_study.output_of("resume", words=["--", *ON_SLURM, TABLE])
    assert csv_study.bytes() == here.bytes()


@pytest.mark.long
def test_a_partition_with_too_little_time_is_told_of(cluster, csv_study):
    cluster.said("scontrol", "update", "PartitionName=all", "MaxTime=1")
    process = csv_study.start(words=["--", *ON_SLURM, TABLE])
    try:
        told = next(line for line in process.stdout if "more time" in line)
        assert told.startswith("microleak: Jobs in SLURM's queue ask for more time")
    finally:
        kill_tree(process)
        cluster.said("scancel", "--user", getpass.getuser())
        cluster.said("scontrol", "update", "PartitionName=all", "MaxTime=UNLIMITED")


@pytest.fixture(scope="module")
def rules():
    texts = [path.read_text("utf-8") for path in ROOT.glob("workflow/rules/*.smk")]
    return {
        name: text
        for part in texts
        for name, text in re.findall(r"^rule (\w+):\n((?:    .*\n|\n)+)", part, re.M)
    }


@pytest.fixture(scope="module")
def profile():
    return yaml.safe_load((PROFILE / "config.yaml").read_text("utf-8"))


def test_the_profile_has_the_threads_of_every_rule_that_uses_several(rules, profile):
    several = {name for name, text in rules.items() if "threads: workflow" in text}
    assert profile["set-threads"] == dict.fromkeys(several, profile["cores"])


def test_the_profile_groups_rules_that_there_are(rules, profile):
    assert profile["groups"].keys() <= rules.keys()


def test_every_rule_that_is_submitted_asks_for_memory_and_time(rules):
    asks = re.compile(r"[*][*]up_to\(mb=\d+, minutes=\d+\),")
    asking = {name for name, text in rules.items() if asks.search(text)}
    assert rules.keys() - asking == {"download", "collect"}
