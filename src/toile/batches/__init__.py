"""Very many jobs: plans, content-addressed results, here or on a Dask cluster (docs/batch.md)."""
