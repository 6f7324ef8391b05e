"""What `benchmarks/http` is made of."""
