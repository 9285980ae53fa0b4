# `snakemake` in the project's folder finds this one first: the workflow is
# workflow/Snakefile, where the workflow catalogue and modules expect it.
include: "workflow/Snakefile"


# What is included does not say what is made if nothing is asked for.
if workflow.modifier.is_main_snakefile():
    workflow.default_target = "all"
