"""The twin of the outpatient procedures (SIA-PA)."""
