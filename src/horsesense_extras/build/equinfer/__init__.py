"""EquInfer (Know-No, Xu et al. 2024): which equation belongs here? From LaTeX sources to items.

    sources -> flatten -> macros -> equations -> context -> edits or candidates -> construct

Every equation that is found is kept, or dropped with a reason: see `funnel`.
"""
