"""A run as JSON data and back: for the ledger, for a waiter that adopts it, for `--json`."""

from __future__ import annotations

from ralph_hooks.check.verdict import CheckResult, Evidence, Failure, Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LEDGER_IDS = 200
ADOPTED_IDS = 2000


def summary(run: Run) -> dict[str, Any]:
    """The fields of a run that a ledger line carries."""
    return {
        "run": run.id,
        "verdict": run.verdict,
        "digest_before": run.digest_before,
        "digest_after": run.digest_after,
        "receipt_digest": run.receipt_digest,
        "duration_s": round(run.duration, 3),
        "failing": run.failing_count,
        "checks": [check_summary(check) for check in run.checks],
    }


def check_summary(check: CheckResult) -> dict[str, Any]:
    """One check: verdict, counts, failing ids (at most 200), duration in seconds, log path."""
    evidence = check.evidence
    return {
        "name": check.name,
        "verdict": check.verdict,
        "why": check.why,
        "exit": check.exit_code,
        "signal": check.signal,
        "duration_s": round(check.duration, 3),
        "remembered": check.remembered,
        "runner": evidence.runner if evidence else "",
        "passed": evidence.passed if evidence else None,
        "failed": evidence.failing if evidence else None,
        "skipped": evidence.skipped if evidence else None,
        "failing_ids": check.failing_ids[:LEDGER_IDS],
        "log": check.log,
        "log_bytes": check.log_bytes,
    }


def dump(run: Run) -> dict[str, Any]:
    """Everything another process needs to act on this run as if it had run it."""
    return {
        **{name: getattr(run, name) for name in Run.__slots__ if name != "checks"},
        "checks": [_dump_check(check) for check in run.checks],
    }


def _dump_check(check: CheckResult) -> dict[str, Any]:
    data = {name: getattr(check, name) for name in CheckResult.__slots__ if name not in ("evidence", "tail")}
    data["tail"] = check.tail[-65536:].decode("utf-8", "surrogateescape")
    evidence = check.evidence
    if evidence is not None:
        data["evidence"] = {name: getattr(evidence, name) for name in Evidence.__slots__ if name != "failures"}
        data["evidence"]["failures"] = [[one.id, one.text] for one in evidence.failures[:ADOPTED_IDS]]
    return data


def restore(data: dict[str, Any]) -> Run:
    """The run that `dump` wrote. Raises `KeyError` or `TypeError` for anything else."""
    run = Run(data["id"], data["started"])
    for name in Run.__slots__:
        if name != "checks":
            setattr(run, name, data[name])
    run.checks = [_restore_check(check) for check in data["checks"]]
    return run


def _restore_check(data: dict[str, Any]) -> CheckResult:
    check = CheckResult(data["name"], data["verdict"], data["why"])
    for name in CheckResult.__slots__:
        if name not in ("evidence", "tail"):
            setattr(check, name, data[name])
    check.tail = data["tail"].encode("utf-8", "surrogateescape")
    if "evidence" in data:
        facts = dict(data["evidence"])
        failures = [Failure(test, text) for test, text in facts.pop("failures")]
        check.evidence = Evidence(facts.pop("runner"), failures=failures, **facts)
    return check
