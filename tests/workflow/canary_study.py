"""A study of every kind, of persons of whom some have words that nobody else has.

Everybody else has common values. A canary's every value holds one of `WORDS`, in
letters or, in columns of numbers and in the School Census, in digits alone. A sensitive
attribute has more values than are measured each by itself.
"""

import struct

from tests.sources.released import census_text, zipped

# Every canary of letters begins with it, between characters that are escaped
LETTERS = "qzxwk"
NUMBERS = (987654321, 987654322, 987654323, 987654324)
SCHOOL = "59876543"
STUDENT = "CAFED00DCAFED00DCAFED00DCAFED00D"
WORDS = (LETTERS, *map(str, NUMBERS), SCHOOL, STUDENT)
# The numbers as they would stand in columns that are not of text
BINARY = tuple(struct.pack(kind, n) for n in NUMBERS for kind in ("<q", "<d"))
HEADER = "id,town,income,job,ill\n"
KNOWN = f"{LETTERS}&<Çã>%town"
STUDY = f"""\
study: canary
seed: 7
tables:
  people:
    source: delimited
    options: {{person_id: id}}
    releases: {{"1": {{archive: people-1.csv}}, "2": {{archive: people-2.csv}}}}
  school_census:
    source: inep_school_census
    releases: {{2018: {{archive: census.zip}}}}
groups:
  sick: {{attribute: ill, values: ["yes"]}}
analyses:
  collective:
    - name: linked
      table: people
      focal: "1"
      auxiliary: ["2"]
      qids: [town, income, job]
      sensitive: [ill]
      groups: [sick]
    - name: pupils
      table: school_census
      focal: 2018
      qids: [CO_ENTIDADE, ID_TURMA, NU_MES]
      sensitive: [TP_COR_RACA]
  targets:
    - name: someone
      table: people
      focal: "1"
      known: {{town: "{KNOWN}"}}
      sensitive: [ill]
  membership:
    - name: asked
      population: {{table: people, release: "1"}}
      sample: {{table: people, release: "2"}}
      qids: [town, income]
      targets: {{someone: {{town: "{KNOWN}"}}}}
  anonymity:
    - name: shared
      table: people
      focal: "1"
      qids: [town, job]
      sensitive: [ill]
      entity: id
      n_population: 600
  mechanism:
    - name: count
      table: people
      focal: "1"
      sensitive: ill
      useful: job
      predicate: {{equals: clerk}}
      models: [oblivious]
      epsilons: [ln 3]
    - name: pairs
      table: people
      focal: "1"
      attributes: [job, ill]
      epsilons: [ln 3]
  reconstruction:
    - name: rebuilt
      attacks: [least_squares]
      database: {{table: people, release: "1", attribute: ill, equals: "yes"}}
      entries: [4]
      queries: [all]
      errors: [0]
  published_file:
    - name: elsewhere
      table: people
      focal: "1"
      published: {{table: people, release: "2"}}
      qids: [town, income, job]
      sensitive: [ill]
report: {{languages: [en], audience: internal}}
"""


def made(folder):
    for name, n in (("people-1.csv", 48), ("people-2.csv", 30)):
        (folder / name).write_text(HEADER + rows(n), encoding="utf-8")
    zipped(folder / "census.zip", {"MATRICULA_SUDESTE.CSV": census()})
    return STUDY


def rows(n):
    towns, jobs = ("Ipê", "Jatobá"), ("clerk", "baker", "nurse")
    ills = ("yes", *["no"] * 4, *(f"maybe {n}" for n in range(9)))
    common = [
        f"{i},{towns[i % 2]},{1000 * (i % 4)},{jobs[i % 3]},{ills[i % len(ills)]}"
        for i in range(n)
    ]
    middle = n // 2
    return "\n".join([*common[:middle], *CANARIES, *common[middle:], ""])


def canary(number, last):
    word = f"{LETTERS}&<Çã>%"
    return f"{last}id,{word}town,{number},{word}job{last},{word}ill{last}"


CANARIES = (
    canary(NUMBERS[0], f"{LETTERS}1"),
    canary(NUMBERS[1], f"{LETTERS}2").replace("town", "tówn"),
    ",".join([str(NUMBERS[2])] * 5),
)


def census():
    common = [
        {
            "ID_ALUNO": f"{i:032X}",
            "ID_MATRICULA": str(i),
            "NU_MES": str(1 + i % 12),
            "TP_COR_RACA": str(i % 3),
        }
        for i in range(40)
    ]
    alone = {
        "ID_ALUNO": STUDENT,
        "ID_MATRICULA": str(NUMBERS[0]),
        "ID_TURMA": str(NUMBERS[1]),
        "CO_ENTIDADE": SCHOOL,
        "TP_COR_RACA": "5",
    }
    return census_text(*common[:20], alone, *common[20:])
