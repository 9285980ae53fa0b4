"""Files, official names, missing codes and years: the only place that knows them."""
