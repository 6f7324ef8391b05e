"""What `benchmarks/stdio` is made of."""
