"""Kernels on a graphics device (WGSL, extra `gpu`): they know arrays and numbers only."""
