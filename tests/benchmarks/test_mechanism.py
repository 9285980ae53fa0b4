"""What privacy loss and utility of counts take, each in a process of its own."""

from benchmarks.mechanism import TASKS, Task, taken
from microleak.attacks.mechanism.analysis import MODELS
from microleak.definitions.epsilon import Epsilon


def test_a_task_is_measured_on_all_records_and_on_samples():
    found = taken(Task("local", 4, "0.5", n_records=500, n_sampled=50))
    assert found["status"] == "finished"
    assert found["first_s"] > 0
    assert found["further_s"] > 0


def test_every_model_is_measured_with_a_fraction_and_a_decimal():
    found = {(task.model, Epsilon.parse(task.epsilon).is_exact) for task in TASKS}
    assert found == {
        (model, is_exact) for model in MODELS for is_exact in (True, False)
    }
