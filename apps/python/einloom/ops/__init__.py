"""NumPy's functions on lazy arrays: a file each for elementwise functions, reductions, products, shapes, ..."""
