"""What `benchmarks/listeners` is made of."""
