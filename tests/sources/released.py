"""Releases made up for tests, with a marker that no message may show."""

import zipfile

from microleak.sources.definitions.definition import source_definition

SECRET = "s3" + "cret"


def given_values(text):
    """Values by the names of their attributes."""
    return dict(each.split("=") for each in text.split())


_VALUES = given_values(
    """
NU_ANO_CENSO=2018 ID_ALUNO=00000000000000000000000000000000 ID_MATRICULA=1 NU_DIA=1
NU_MES=1 NU_ANO=2010 NU_IDADE=8 TP_SEXO=1 TP_COR_RACA=0 TP_NACIONALIDADE=1
CO_PAIS_ORIGEM=76 CO_MUNICIPIO_NASC=3550308 CO_MUNICIPIO_END=3550308
IN_NECESSIDADE_ESPECIAL=0 IN_TRANSPORTE_PUBLICO=0 TP_ETAPA_ENSINO=14 ID_TURMA=1
CO_ENTIDADE=35000001 CO_MUNICIPIO=3550308 TP_DEPENDENCIA=2 TP_LOCALIZACAO=1
"""
)


def census(release="2018"):
    return source_definition("inep_school_census", release, {})


def delimited(**options):
    return source_definition("delimited", "2015", options)


def census_text(*records, extra="TX_EXTRA"):
    lines = ["|".join([*_VALUES, extra])]
    lines += ["|".join([*(_VALUES | record).values(), "x"]) for record in records]
    return "".join(f"{line}\n" for line in lines).encode("latin-1")


def zipped(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def plain(path, data):
    path.write_bytes(data)
    return path


HIGHER = given_values(
    """
NU_ANO_CENSO=2018 ID_ALUNO=00000000000000000000000000000000 CO_ALUNO_CURSO=7
NU_DIA_NASCIMENTO=1 NU_MES_NASCIMENTO=1 NU_ANO_NASCIMENTO=1990 NU_IDADE=28 TP_SEXO=1
TP_COR_RACA=0 TP_NACIONALIDADE=1 CO_PAIS_ORIGEM=76 CO_UF_NASCIMENTO=35
CO_MUNICIPIO_NASCIMENTO=3550308 IN_DEFICIENCIA=0 TP_ESCOLA_CONCLUSAO_ENS_MEDIO=1
IN_FINANCIAMENTO_ESTUDANTIL= CO_IES=1 TP_CATEGORIA_ADMINISTRATIVA=1
TP_ORGANIZACAO_ACADEMICA=1 CO_CURSO=1 TP_TURNO=1 TP_GRAU_ACADEMICO=1
TP_MODALIDADE_ENSINO=1 TP_NIVEL_ACADEMICO=1 TP_SITUACAO=2 NU_ANO_INGRESSO=2017
"""
)


def higher(release="2018"):
    return source_definition("inep_higher_education_census", release, {})


def _filled(definition, record):
    """Values of a release's attributes, in its own codes, by their official names."""
    values = HIGHER if definition.source.endswith("education_census") else _VALUES
    year, person = {"NU_ANO_CENSO": definition.release}, {}
    if int(definition.release) < 2018:
        person = {definition.person_id: "0" * 12}
    all_values = values | year | person | record
    return {definition.official(name): all_values[name] for name in definition.names}


def delimited_file(definition, *records):
    lines = ["|".join([*definition.names.values(), "TX_EXTRA"])]
    rows = [_filled(definition, record).values() for record in records]
    lines += ["|".join([*row, "é"]) for row in rows]
    return "".join(f"{line}\n" for line in lines).encode("latin-1")


def fixed_width_file(definition, *records, end="\n"):
    """The same with fields at fixed places, values at their right ends."""
    lines = []
    for record in records:
        line = ["é"] * definition.layout.n_bytes
        for name, value in _filled(definition, record).items():
            start, stop = definition.layout.fields[name]
            line[start:stop] = value.rjust(stop - start)
        lines.append("".join(line))
    return "".join(f"{line}{end}" for line in lines).encode("latin-1")
