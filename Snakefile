# From the releases a study file names to its report and manifest.
# Needs: a study file (--configfile, else the default study). Gives: results/STUDY.
include: "workflow/rules/common.smk"
include: "workflow/rules/releases.smk"
include: "workflow/rules/people.smk"
include: "workflow/rules/measures.smk"
include: "workflow/rules/comparison.smk"
include: "workflow/rules/targets.smk"
include: "workflow/rules/pages.smk"


rule all:
    """The report page and the manifest of everything it stands on."""
    default_target: True
    input:
        f"{OUT}/report",
        f"{OUT}/manifest.json",
