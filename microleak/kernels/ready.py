"""Has Numba do now what it does in each process where a kernel is first called.

That takes most of a second, and forks of a process that did it need not do it again.
"""

from numba.core.registry import cpu_target

cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
