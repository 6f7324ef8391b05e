"""What `benchmarks/sessions` is made of."""
