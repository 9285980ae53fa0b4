"""Its one step."""

from microleak.step import Step, measures, people

TOY = Step(
    "toy",
    measures("toy", of="toy"),
    ("microleak.attacks.toy.count", "microleak.tables.files"),
)


def _jobs(study):
    for name, each in study.analyses["toy"].items():
        inputs = {"people": people(each.table, each.focal)}
        yield TOY.job({"toy": name}, inputs, {"attribute": each.attribute})


STEPS = ((TOY, _jobs),)
