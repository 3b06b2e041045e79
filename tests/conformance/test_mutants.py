"""The changes that wrong solutions and files are made by."""

from dmlopt.conformance import mutants
from dmlopt.strict_json import canonical

DOCUMENT = {"servers": [1, 2, 2], "share": 0.5, "name": "a", "waits": True, "none": None, "deep": [{"x": 0}]}


def test_every_place_is_changed_and_nothing_stays_the_same():
    found = mutants(DOCUMENT, most=10_000)
    before = canonical(DOCUMENT)
    assert all(canonical(each.document) != before for each in found)
    whats = " ".join(each.what for each in found)
    for word in (
        "drop at .servers[1]",
        "rename at .share",
        "repeat at .deep[0]",
        "add at .deep[0]",
        "becomes 2",
    ):
        assert word in whats
    assert "swap at .servers[1]" in whats
    assert "swap at .servers[2]" not in whats  # two equal neighbours: that would be the original
    assert canonical(DOCUMENT) == before


def test_a_choice_of_many_is_the_same_every_time():
    large = {"rows": list(range(1000))}
    first, second = mutants(large, 50), mutants(large, 50)
    assert [each.what for each in first] == [each.what for each in second]
    assert len(first) <= 50 + 5
    assert [each.what for each in mutants(large, 50, seed=1)] != [each.what for each in first]
