"""Reading study files as people write them: names stay text, no key comes twice."""

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from microleak.errors import StudyError


class _Loader(yaml.SafeLoader):
    """Reads keys as the text in the file, each once, and values as text or integers.

    What YAML would take for a truth value, a date or an octal number (NO,
    2018-01-01, 02018) is a name here.
    """

    def construct_mapping(
        self, node: yaml.MappingNode, deep: bool = False
    ) -> dict[Hashable, Any]:
        keys = [key.value for key, _ in node.value]
        for i, key in enumerate(keys):
            if key in keys[:i]:
                line = node.value[i][0].start_mark.line + 1
                raise StudyError(
                    f"{node.start_mark.name}, line {line}: key {key!r} is given "
                    "twice in one mapping. Remove one of them."
                )
        values = (self.construct_object(value, deep=True) for _, value in node.value)
        return dict(zip(keys, values, strict=True))


def _integer_or_name(loader: _Loader, node: yaml.ScalarNode) -> int | str:
    text = str(loader.construct_scalar(node))
    return int(text) if re.fullmatch("0|-?[1-9][0-9]*", text) else text


_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in resolvers if tag.endswith((":int", ":null"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_constructor("tag:yaml.org,2002:int", _integer_or_name)


def read_yaml(path: Path) -> Any:
    """Return a study file's content.

    Raises
    ------
    StudyError
        If the file is missing, is not UTF-8 or YAML, or gives a key twice.
    """
    try:
        with path.open(encoding="utf-8") as file:
            return yaml.load(file, Loader=_Loader)
    except FileNotFoundError:
        raise StudyError(f"There is no study file {path}.") from None
    except IsADirectoryError:
        raise StudyError(f"{path} is a folder, not a study file.") from None
    except UnicodeDecodeError as error:
        raise StudyError(
            f"{path} is not UTF-8 at byte {error.start}. Save it as UTF-8."
        ) from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise StudyError(
            f"{path}, line {line}: not YAML ({error.problem}). Correct that line."
        ) from None
