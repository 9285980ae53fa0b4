# From the releases a study file names to its report and manifest.
# Needs: a study file (--configfile, else the default study). Gives: results/STUDY.
from microleak.families import NAMES


include: "workflow/rules/common.smk"
include: "workflow/rules/releases.smk"
include: "workflow/rules/people.smk"


for family in NAMES:

    include: f"workflow/rules/{family}.smk"


include: "workflow/rules/pages.smk"


rule all:
    """The report page, all that it stands on, and the manifest of it.

    Snakemake does not miss what lies between, once the last results are there.
    """
    default_target: True
    input:
        every_result(),
        f"{OUT}/manifest.json",
