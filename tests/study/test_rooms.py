"""Data keep to their rooms: which modules a value of a record passes on its way."""

import sys
from dataclasses import fields, is_dataclass

import numpy as np
import pandas as pd

from microleak.study.load import load_study
from microleak.study.pages import write_page
from microleak.study.publish import publish_study
from tests.workflow.workshop import Workshop, draw_plainly

VALUE = "seldom-found"
STUDY = """\
study: rooms
seed: 1
tables:
  town:
    source: delimited
    options: {delimiter: ","}
    releases: {one: {archive: town.csv}}
analyses:
  risk_groups:
    - {name: ill, table: town, focal: one, qids: [age, sex], by: [illness]}
report: {languages: [en]}
"""


class Visits:
    """Modules of microleak of which a function has the value, as what."""

    def __init__(self):
        self.found = {}

    def __enter__(self):
        sys.setprofile(self)
        return self.found

    def __exit__(self, *_):
        sys.setprofile(None)

    def __call__(self, frame, event, returned):
        module = frame.f_globals.get("__name__", "")
        if event not in {"call", "return"} or not module.startswith("microleak."):
            return
        if module not in self.found:
            sys.setprofile(None)  # else it would be called for what it does itself
            of_return = {"return": returned} if event == "return" else {}
            for name, thing in (frame.f_locals | of_return).items():
                if holds(thing):
                    self.found[module] = f"{frame.f_code.co_name}: {name}"
                    break
            sys.setprofile(self)


def holds(thing, depth=3):
    """Whether it is the value, or has it in a table, or in a few layers of others."""
    if isinstance(thing, str):
        return thing == VALUE
    if isinstance(thing, pd.DataFrame):
        return any(holds(thing[name]) for name in thing)
    if isinstance(thing, pd.Series | pd.Index | np.ndarray):
        return thing.dtype.kind in "OT" and VALUE in [*map(str, thing.tolist())]
    if not depth or isinstance(thing, type):
        return False
    if isinstance(thing, dict):
        thing = [*thing, *thing.values()]
    elif is_dataclass(thing):
        thing = [getattr(thing, each.name, None) for each in fields(thing)]
    is_many = isinstance(thing, list | tuple | set | frozenset)
    return is_many and any(holds(each, depth - 1) for each in thing)


def test_a_value_passes_few_modules_from_its_table_to_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = (
        f"{20 + n % 3},{'FM'[n % 2]},{VALUE if n % 5 else 'flu'}" for n in range(40)
    )
    (tmp_path / "town.csv").write_text("\n".join(["age,sex,illness", *rows, ""]))
    with monkeypatch.context() as patch:
        draw_plainly(patch)
        shop = Workshop(STUDY)
        shop.run()
    study = load_study(shop.file)
    with Visits() as visits:
        publish_study(study, shop.results)
        write_page(shop.results, [])
    assert VALUE in (shop.results / "report/index.html").read_text(encoding="utf-8")
    families = {name for name in visits if name.startswith("microleak.attacks.")}
    assert families == {"microleak.attacks.risk_groups.report"}
    assert len(visits) <= 17, visits
