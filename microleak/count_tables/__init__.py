"""Tables of counts as offices publish them, and what they prove about cells."""
