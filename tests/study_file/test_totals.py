"""Count tables: totals by whatever name, missing values, and how both are written."""

import pytest

import microleak
from microleak.attacks.anonymity.section import read_margins
from microleak.base.errors import StudyError
from microleak.base.total_words import reads_like_total

TOTALS = """\
Total¹|Tot.|Todos(as)|TODAS/OS|99 Total|Tous|Toutes
Total|TOTAL|Total:|(total)|[Total]|*Total*|Total geral|Total Geral|Total general|Totais
Totals|Grand total|Sub-total|Subtotal|Subtotais|Sub total|Total - Brasil|Total (Brasil)
Overall|All|All ages|All persons|all sexes|All the regions|Both|Both sexes|both genders
Ambos|Ambos os sexos|AMBOS OS SEXOS|Ambos sexos|Ambas as cores|Todos|Todas
Todas as idades|Todos os municípios|Todas as regiões|Todos os grupos
Todas las edades|Brasil|BRASIL:
Brazil|Geral|Em geral|Conjunto|No conjunto|Soma|Soma total|Somatório|Sum|Sum total|Suma
Everybody|_total_|total.|TOTAL GERAL .|Insgesamt|Ensemble
"""
VALUES = """\
F|M|Women|Totora|Totalmente|Both parents|Ambos os pais|Todos os dias|All other races
All of the time|Summer|Somália|Somatic|Brasília|Brasileira|Generalist|Geraldo
Conjuntivite|Allison|Both hands|Nationality unknown|Perda total da visão
Subtropical|-|0|+|1-4
(missing)|Não declarada|Alles|Wholesale|Anyone|Nacional|National|General|Any
"""


@pytest.mark.parametrize(("values", "are_totals"), [(TOTALS, True), (VALUES, False)])
def test_a_word_for_all_reads_like_a_total_whatever_signs_are_around_it(
    values, are_totals
):
    for value in values.replace("\n", "|").rstrip("|").split("|"):
        assert reads_like_total(value) == are_totals, value


def rebuilt(folder, texts, **settings):
    tables = []
    for n, text in enumerate(texts):
        path = folder / f"{n}.csv"
        path.write_text(text, encoding="utf-8")
        tables.append({"file": str(path), "suppressed": ["X"]})
    return microleak.table_rebuilding(tables, **settings).table_rebuilding


@pytest.mark.parametrize("value", [" *", "* ", " ", "**"])
def test_a_total_with_signs_around_it_is_refused(tmp_path, value):
    with pytest.raises(StudyError, match="a value of a that reads like a total"):
        rebuilt(tmp_path, [f"a,count\nx,2\ny,5\n{value},7\n"])


# x and y are two values, w their sum: in two groups of different counts, or in one
# in which so many persons would hardly be divided so by chance.
SUMS = [
    ["a,count\nx,51\ny,25\nw,76\n"],
    ["a,count\nw,3070\nx,2000\ny,1061\nz,9\n"],
    ["a,count\n0,30\n1,11\n2,43\n3,17\n4,52\n5,153\n"],
    ["a,b,count\nx,1,2\ny,1,3\nw,1,5\nx,2,4\ny,2,4\nw,2,8\n"],
    ["a,b,count\nx,1,2\ny,1,3\nw,1,5\nx,2,4\ny,2,0\nw,2,4\n"],
    ["a,b,count\nx,1,2\ny,1,3\nw,1,5\nx,2,X\ny,2,1\nw,2,8\nx,3,1\ny,3,1\nw,3,2\n"],
    ["a,count\nx,2\ny,3\nw,5\n", "a,b,count\nx,1,1\ny,1,2\nw,1,3\n"],
    ["a,count\nx,52\ny,33\nw,85\n", "a,b,count\nx,1,X\ny,1,2\nw,1,3\n"],
    ["a,count\nx,2\ny,3\nw,5\n*,5\n"],  # a total that has it as all
    ["a,b,count\nx,*,52\ny,*,33\nw,*,85\n"],
    ["a,b,count\nx,,52\ny,*,33\nw,,85\n"],
    ["b,c,a,count\n1,1,x,2\n1,1,y,2\n1,1,w,4\n1,2,x,1\n1,2,w,1\n"],
]


@pytest.mark.parametrize("texts", SUMS)
def test_a_value_that_is_the_sum_of_all_others_is_refused_like_a_total(tmp_path, texts):
    with pytest.raises(StudyError, match="has a value of a whose count is the sum of"):
        rebuilt(tmp_path, texts)


@pytest.mark.parametrize(
    "texts",
    [
        ["a,count\nx,2\ny,2\n"],  # sums of one other say nothing
        ["a,count\nx,2\ny,1\nw,4\n"],
        ["a,count\nx,0\ny,0\nw,0\n"],
        ["a,count\nx,3\ny,0\nw,3\n"],
        ["a,count\nx,2\ny,1\nw,X\n"],
        ["a,count\nx,2\ny,1\nw,3\n*,6\n"],  # the total has it as a part
        ["a,b,count\nx,1,2\ny,1,3\nw,1,5\nx,2,4\ny,2,4\nw,2,7\n"],
        [
            "a,count\nx,2\ny,3\nw,5\n",
            "a,b,count\nx,1,1\nx,2,1\ny,1,1\ny,2,2\nw,1,3\nw,2,2\n",
        ],
        ["a,b,count\nx,1,2\ny,1,3\nw,1,5\nx,2,X\ny,2,4\nw,2,3\n*,1,10\n"],
        ["a,b,count\nx,1,2\ny,1,3\nw,1,5\nw,2,3\n"],
        # By chance: few persons, or many that are rounded, or one group twice.
        ["a,count\n0-9,10\n10-19,5\n20-29,5\n"],
        ["a,count\nx,1\ny,1\nz,2\n"],
        ["a,count\n1,5\n2,2\n3,3\n"],
        ["a,count\nx,2\ny,1\nw,3\n"],
        ["a,count\nw,10\nx,6\ny,1\nz,3\n"],
        ["a,count\nx,20\ny,30\nz,50\n"],
        ["a,count\nx,20\ny,30\nz,50\n", "a,b,count\nx,1,2\ny,1,3\nz,1,5\nx,2,18\n"],
        ["b,a,count\n1,x,2\n1,y,1\n1,w,3\n2,x,0\n2,y,0\n2,w,0\n"],
    ],
)
def test_a_value_that_may_be_the_sum_of_others_by_chance_stays_one(tmp_path, texts):
    assert len(rebuilt(tmp_path, texts)) == 1


@pytest.mark.parametrize(
    "note",
    [
        *("Source: IBGE", "Fonte: IBGE", "Nota: dados sujeitos a revisão", "Notes"),
        *("* Inclui sem declaração", "(Source: census)", "Elaboração: IPEA", "Obs.: -"),
        *("Fonte IBGE", "Gerado em: 2024-01-31"),
    ],
)
def test_a_note_below_a_count_table_is_no_value(tmp_path, note):
    said = "line 4 begins like a note and has no number. Remove it"
    text = f"a,count\nx,2\ny,1\n{note},\n"
    with pytest.raises(StudyError, match=said):
        rebuilt(tmp_path, [text])
    with pytest.raises(StudyError, match=said):
        rebuilt(tmp_path, [f"a,b,count\nx,1,2\ny,1,1\n{note},,\n"])
    with pytest.raises(StudyError, match=said):
        margin(tmp_path, text.replace("a,", "sex,", 1))
    rebuilt(tmp_path, [text.replace(f"{note},", f"{note},4")])
    rebuilt(tmp_path, [text.replace(f"{note},", f"{note},X")])


@pytest.mark.parametrize("value", ["N", "n", "*", "", "Fontela", "0-9"])
def test_a_value_whose_count_is_left_out_is_no_note(tmp_path, value):
    rebuilt(tmp_path, [f"a,count\nx,2\ny,1\n{value},\n"])


def test_values_that_the_study_lists_are_no_totals(tmp_path):
    domains = {"a": ["x", "y", "w"]}
    found = rebuilt(tmp_path, SUMS[0], domains=domains)
    assert found["n_records"].item() == 152
    text = "a,count\nx,2\ny,1\nBrasil,9\n"
    with pytest.raises(StudyError, match="line 4, has a value of a that reads like a"):
        rebuilt(tmp_path, [text])
    domains = {"a": ["x", "y", "Brasil"]}
    assert rebuilt(tmp_path, [text], domains=domains)["n_records"].item() == 12


@pytest.mark.parametrize("total", ["w", "Total", "Brasil", "Both sexes"])
def test_a_total_among_published_statistics_is_refused(tmp_path, total):
    path = tmp_path / "ages.csv"
    path.write_text(f"sex,count,mean\nF,251,30\nM,107,20\n{total},358,27.0\n")
    with pytest.raises(StudyError, match=r"line 4, has .* of sex .* a total( is)?\."):
        microleak.query_answers(
            None, "age", tables=[{"file": str(path)}], least=0, most=99
        )


def margin(folder, text, qids=("sex", "place")):
    path = folder / "margin.csv"
    path.write_text(text, encoding="utf-8")
    (found,) = read_margins(str(path), qids, "margins")
    return found


def persons(found):
    return dict(zip(found.values, found.counts, strict=True))


def test_totals_of_a_margin_are_checked_and_are_no_cells(tmp_path, text):
    found = margin(tmp_path, text)
    assert found.names == ("place", "sex")
    assert persons(found) == {("S", "F"): 3, ("S", "M"): 4, ("C", "F"): 5}


def test_a_margin_that_does_not_add_up_or_has_another_form_is_refused(
    tmp_path, text, said
):
    with pytest.raises(StudyError, match=said):
        margin(tmp_path, text)


def test_a_missing_value_of_a_margin_is_written_out(tmp_path):
    found = margin(tmp_path, "sex,count\nF,3\nM,9\n(missing),4\n*,16\n")
    assert persons(found) == {("F",): 3, ("M",): 9, ("",): 4}


def test_a_value_of_a_margin_that_is_the_sum_of_others_is_kept_in_mind(tmp_path):
    text = "sex,count\nF,51\nM,25\nw,76\n"
    ((name, value, said),) = margin(tmp_path, text).sums
    assert (name, value) == ("sex", "w")
    assert "line 4, has a value of sex whose count is the sum of" in said
    assert not margin(tmp_path, f"{text}*,152\n").sums
    assert not margin(tmp_path, "sex,count\nF,3\nM,4\nw,7\n").sums


def test_an_attribute_may_still_be_called_n(tmp_path):
    found = margin(tmp_path, "n,count\n1,3\n2,4\n", ["n"])
    assert persons(found) == {("1",): 3, ("2",): 4}
