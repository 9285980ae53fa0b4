"""The twin of the survey of students' health (PeNSE)."""
