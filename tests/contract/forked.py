"""Snakemake whose jobs are forked from one process that has imported everything.

A study of forty small jobs spends most of its time on imports. Rules, scripts and
parameters are those of any run, and no job sees what another one left in memory.
"""

import multiprocessing
import runpy
import subprocess
import sys
from pkgutil import walk_packages

from snakemake.benchmark import benchmarked
from snakemake.cli import main
from snakemake.script import PythonScript

import microleak

CONTEXT = multiprocessing.get_context("forkserver")


def run_script(path):
    runpy.run_path(path, run_name="__main__")


def run_forked(script, path, edit=False):
    """Run a job's script, in the place of `PythonScript.execute_script`."""
    job = CONTEXT.Process(target=run_script, args=(path,))
    job.start()
    with benchmarked(job.pid, script.bench_record):
        job.join()
    if job.exitcode:
        raise subprocess.CalledProcessError(job.exitcode, path)


if __name__ == "__main__":
    modules = [
        module.name for module in walk_packages(microleak.__path__, "microleak.")
    ]
    modules.remove("microleak.__main__")
    CONTEXT.set_forkserver_preload(["snakemake.script", "highspy", *modules])
    PythonScript.execute_script = run_forked
    main(sys.argv[1:])
