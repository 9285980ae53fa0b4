"""What releases look like: names by year, domains, recodes, crosswalks."""
