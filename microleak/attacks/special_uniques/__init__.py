"""Who stands out by few attributes: special uniques (SUDA)."""
