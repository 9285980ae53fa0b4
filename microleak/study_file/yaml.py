"""Reading study files as people write them: names stay text, no key comes twice."""

import re
from collections.abc import Hashable
from gettext import gettext as _
from pathlib import Path
from typing import Any

import yaml

from microleak.base.errors import StudyError, did_you_mean

_TAGS = ("map", "seq", "str", "int", "null")
_QUOTE = re.compile(r"'(?:[^'\\]|\\.)*'|" r'"(?:[^"\\]|\\.)*"')
# What YAML calls its own marks and tokens, as `']'` and `'<scalar>'`
_MARK = re.compile(r"""['"](?:[][{},:?-]|<[a-z ]+>)['"]""")
_ENDINGS = {".yaml", ".yml"}
_TAB = re.compile(" *\t")  # How a line begins that is indented with a tab


class _Loader(yaml.SafeLoader):
    """Reads keys as the text in the file, each once, and values as text or integers."""

    # What YAML would take for a truth value, a date or an octal number (NO, 2018-01-01,
    # 02018) is a name here. Tags of other types are refused.

    def construct_mapping(
        self, node: yaml.MappingNode, deep: bool = False
    ) -> dict[Hashable, Any]:
        """Return a mapping whose keys are texts, each given once."""
        keys = [_key_text(key) for key, _ in node.value]
        for i, key in enumerate(keys):
            if key in keys[:i]:  # it is not shown: it may be a piece of a value
                raise _yaml_refusal(node.value[i][0], _("a key is given twice"))
        values = (self.construct_object(value, deep=True) for _, value in node.value)
        return dict(zip(keys, values, strict=True))


def _key_text(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise _yaml_refusal(node, _("a key must be a text, not a list or mapping"))
    return str(node.value)


def _yaml_refusal(node: yaml.Node, problem: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)


def _integer_or_name(loader: _Loader, node: yaml.ScalarNode) -> int | str:
    text = str(loader.construct_scalar(node))
    return int(text) if re.fullmatch("0|-?[1-9][0-9]{0,18}", text) else text


_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in resolvers if tag.endswith((":int", ":null"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.yaml_constructors = {
    tag: constructor
    for tag, constructor in yaml.SafeLoader.yaml_constructors.items()
    if tag is None or tag.endswith(tuple(f":{kind}" for kind in _TAGS))
}
_Loader.add_constructor("tag:yaml.org,2002:int", _integer_or_name)


def read_yaml(path: Path) -> Any:
    text = _text_of_file(path)
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = _without_content(str(error.problem))
        if _TAB.match(text.split("\n")[line - 1]):
            problem = _("a tab; YAML is indented with blanks")
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        problem = _("a control character")
    except RecursionError:
        line, problem = 1, _("lists in lists without end")
    said = _("{path}, line {line}: {problem}. Correct that line.")
    said = said.format(path=path, line=line, problem=problem)
    raise StudyError(f"{said}{_doubt_about(path)}")


def _doubt_about(path: Path) -> str:
    """Return a doubt, by a file's name, whether it is a study file at all."""
    if path.suffix in _ENDINGS:
        return ""
    return _(" A study file is YAML: is this one?")


def _without_content(problem: str) -> str:
    """Return what the parser says without what it quotes of the file."""
    if "alias" in problem or problem == "second occurrence":
        return _("a text that begins with * or & and is not in quotes")
    return _QUOTE.sub(lambda q: q[0] if _MARK.fullmatch(q[0]) else "…", problem)


def _text_of_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        there = [*path.parent.glob("*.yaml"), *Path("config").glob("*.yaml")]
        like = did_you_mean(str(path), map(str, there))
        said = _("There is no study file {path}.").format(path=path)
        raise StudyError(f"{said}{like}") from None
    except IsADirectoryError:
        said = _("{path} is a folder, not a study file.")
        raise StudyError(said, path=path) from None
    except UnicodeDecodeError as error:
        said = _("{path} is not UTF-8 at byte {byte}. Save it as UTF-8.").format(
            path=path, byte=error.start
        )
        raise StudyError(f"{said}{_doubt_about(path)}") from None
