"""NumPy's functions on lazy arrays, by what they do: a file each for elementwise functions, reductions, products, ..."""
