"""What tables of counts prove about the records that they were made of."""
