"""The `microleak` command.

What a command needs is loaded when it is asked for, so that no other waits for it.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from gettext import gettext as _
from importlib import import_module
from pathlib import Path

import microleak
from microleak.base.errors import MicroleakError, StudyError, did_you_mean
from microleak.base.language import LANGUAGES, speaking_language
from microleak.base.progress import watched_by
from microleak.cli import commands
from microleak.cli.parser import language_asked, with_common_arguments
from microleak.run.ahead import kernels_compiled
from microleak.run.snakemake_call import check_folder, own_cache
from microleak.run.watching import watcher


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status (docs/commands.md)."""
    # It is 1 for what a user can put right, which is said in one line, and 130 for
    # Ctrl-C.

    # NumPy's threads are counted when it is loaded, and jobs are forks of what has it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    given = list(sys.argv[1:] if arguments is None else arguments)
    end = given.index("--") if "--" in given else len(given)
    words = [word for word in given[end:] if word != "--"]
    asked, own = language_asked(given[:end])
    with speaking_language(asked or LANGUAGES[0]):
        parser = command_parser()
        _check_command(own, parser)
        options, unknown = parser.parse_known_args(own)
        options.asked = asked
        if unknown and not options.hides_words:
            said = _("unrecognized arguments: %s").replace("%s", " ".join(unknown))
            of_snakemake = _("; options of Snakemake follow a --")
            hint = of_snakemake if "verbose" in options else ""
            parser.error(f"{said}{hint}")
        return _run_command(options, [*words, *unknown])


def _check_command(given: Sequence[str], parser: argparse.ArgumentParser) -> None:
    known = parser.get_default("names")
    if given and not given[0].startswith("-") and given[0] not in known:
        like = did_you_mean(given[0], known)
        said = _("there is no command {name}.{like} It may be: {commands}.")
        parser.error(
            said.format(name=repr(given[0]), like=like, commands=", ".join(known))
        )


def _run_command(options: argparse.Namespace, words: list[str]) -> int:
    try:
        check_folder()
        if words and "wordless" in options:
            said = f"{options.wordless} takes no words after its options: {words}."
            raise StudyError(said)
        with own_cache(), watched_by(watcher("", "", sys.stderr)):
            status = int(options.command(options, words))
        sys.stdout.flush()
        return status
    except KeyboardInterrupt as stopped:
        if number := getattr(stopped, "number", 0):
            sys.stdout.flush()
            os._exit(128 + number)  # at once: Python takes long to forget all it knows
        return 130
    except BrokenPipeError:  # nobody reads on: what is left is not written at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except MicroleakError as error:
        said = str(error)
    except Exception as error:
        said = import_module("microleak.run.job").unexpected(error)
    print(f"microleak: {said}", file=sys.stderr)
    return 1


def command_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="microleak",
        description="Measures what a release of microdata gives away about people.",
        epilog="Words after -- go to Snakemake.",
    )
    parser.add_argument("--version", action="version", version=microleak.__version__)
    parser.set_defaults(hides_words=False)
    parsers = parser.add_subparsers(required=True, metavar="COMMAND")
    memory = "memory that jobs may use, as 4GiB or 500MB (default: most of it, to 8GB)"
    verbose = "show what Snakemake says, too; it is in results/STUDY/logs/snakemake.log"
    resume = partial(_run_study, way="resume")
    protect = commands.loaded_command("protect", "protect_release")
    for name, command, text in (
        ("run", _run_study, "run a study, doing only what is not done yet"),
        ("resume", resume, "resume a run that was stopped"),
        (
            "demo",
            _run_demonstration,
            "run a study of synthetic students, written to this folder",
        ),
        ("protect", protect, "write a protected release of a study to a file"),
    ):
        sub = parsers.add_parser(name, help=text, description=text)
        if command is not _run_demonstration:
            sub.add_argument("config", type=Path, help="study file")
        if command is protect:
            commands.add_protect(sub)
        sub.add_argument("--max-memory", metavar="SIZE", help=memory)
        commands.add_store_option(sub)
        sub.add_argument("--verbose", action="store_true", help=verbose)
        sub.set_defaults(command=command)
    for name, add, text in commands.OTHERS:
        sub = parsers.add_parser(name, help=text, description=text, allow_abbrev=False)
        add(sub)
    parser.set_defaults(names=tuple(parsers.choices))
    return with_common_arguments(parser)


def _run_demonstration(options: argparse.Namespace, words: list[str]) -> int:
    options.config = commands.write_demonstration()
    status = _run_study(options, words)
    if status == 0:
        said = _(
            "{study} is the study; its students are synthetic. For a file of your own: "
            "microleak init FILE"
        ).format(study=options.config)
        print(f"microleak: {said}", file=sys.stderr)
    return status


def _run_study(
    options: argparse.Namespace, words: list[str], *, way: str = "run"
) -> int:
    gate = _gate_of(options.config)
    with kernels_compiled(words):
        workflow = import_module("microleak.run.workflow")
        status = int(
            workflow.run(
                options.config,
                words,
                options.max_memory,
                commands.store_of(options),
                way=way,
                is_verbose=options.verbose,
            )
        )
    if gate and status == 0 and not workflow.is_partial(words):
        return int(import_module("microleak.cli.check").check_results(*gate))
    return status


def _gate_of(config: Path) -> tuple[Path, Path] | None:
    """Return the results and the policy of a study that names one."""
    # Who has no policy does not wait for what tries it.
    if not config.is_file() or b"policy" not in config.read_bytes():
        return None
    found: tuple[Path, Path] | None
    found = import_module("microleak.cli.check").policy_of_study(config)
    return found
