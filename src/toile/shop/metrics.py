"""Figures for Prometheus: counts and times, nothing about persons."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class Metrics:
    """All figures of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "toile_requests", "answered requests", ["route", "method", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "toile_request_seconds", "time to answer", ["route"], registry=self.registry,
            buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
        )  # fmt: skip
        self.jobs = Counter("toile_jobs", "finished jobs", ["kind", "state"], registry=self.registry)
        self.job_seconds = Histogram(
            "toile_job_seconds", "time that a job took", ["kind"], registry=self.registry,
            buckets=(0.5, 1, 2, 5, 10, 20, 60, 180),
        )  # fmt: skip
        self.waiting = Gauge("toile_jobs_waiting", "jobs in the queue", registry=self.registry)
        self.deliveries = Counter(
            "toile_deliveries", "webhook deliveries", ["result"], registry=self.registry
        )
        self.limited = Counter("toile_limited", "requests refused by rate", ["kind"], registry=self.registry)

    def text(self) -> bytes:
        """Return all figures in Prometheus' text form."""
        return generate_latest(self.registry)
