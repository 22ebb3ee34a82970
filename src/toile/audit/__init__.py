"""Is the result right? Measured on the finished result, without the simulation."""
