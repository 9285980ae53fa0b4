"""Releases made up for tests, with a marker that no message may show."""

import zipfile

from microleak.sources.definition import source_definition

SECRET = "s3" + "cret"

_VALUES = {
    "NU_ANO_CENSO": "2018",
    "ID_ALUNO": "0" * 32,
    "ID_MATRICULA": "1",
    "NU_DIA": "1",
    "NU_MES": "1",
    "NU_ANO": "2010",
    "TP_SEXO": "1",
    "TP_COR_RACA": "0",
    "TP_NACIONALIDADE": "1",
    "CO_PAIS_ORIGEM": "76",
    "CO_MUNICIPIO_NASC": "3550308",
    "CO_MUNICIPIO_END": "3550308",
    "IN_NECESSIDADE_ESPECIAL": "0",
    "IN_TRANSPORTE_PUBLICO": "0",
    "TP_ETAPA_ENSINO": "14",
    "ID_TURMA": "1",
    "CO_ENTIDADE": "35000001",
    "CO_MUNICIPIO": "3550308",
    "TP_DEPENDENCIA": "2",
    "TP_LOCALIZACAO": "1",
}


def census(release="2018"):
    return source_definition("inep_school_census", release, {})


def delimited(**options):
    return source_definition("delimited", "2015", options)


def census_text(*records, extra="TX_EXTRA"):
    """A student file of 2018; each record gives the values that matter."""
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
