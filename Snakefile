# From the releases a study file names to its report and manifest.
# Needs: a study file (--configfile, else the default study). Gives: results/STUDY.
include: "workflow/rules/common.smk"
include: "workflow/rules/releases.smk"
include: "workflow/rules/people.smk"
include: "workflow/rules/measures.smk"
include: "workflow/rules/states.smk"
include: "workflow/rules/comparison.smk"
include: "workflow/rules/targets.smk"
include: "workflow/rules/samples.smk"
include: "workflow/rules/anonymity.smk"
include: "workflow/rules/mechanism.smk"
include: "workflow/rules/reconstruction.smk"
include: "workflow/rules/pages.smk"


rule all:
    """The report page, all that it stands on, and the manifest of it.

    Snakemake does not miss what lies between, once the last results are there.
    """
    default_target: True
    input:
        every_result(),
        f"{OUT}/manifest.json",
