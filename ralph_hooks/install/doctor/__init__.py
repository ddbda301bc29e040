"""What is wrong with a setup, each with its fix (I11). A check is a function and its place in `CHECKS`."""

from __future__ import annotations

from ralph_hooks.install.doctor import codex_trust, files_of, gate, program, sealed
from ralph_hooks.install.doctor.finding import Check, Finding, Patient, examine

CHECKS: tuple[Check, ...] = (
    files_of.valid,
    gate.config,
    files_of.registered_once,
    files_of.written_by_hand,
    files_of.plugin_and_settings,
    files_of.not_disabled,
    files_of.started_here,
    program.on_path,
    gate.time_enough,
    gate.checks_start,
    files_of.block_cap,
    gate.state_writable,
    codex_trust.trusted,
    program.clients,
    files_of.committed,
    sealed.sealed,
    gate.repository,
)
__all__ = ["CHECKS", "Finding", "Patient", "diagnose", "examine"]


def diagnose(patient: Patient) -> list[Finding]:
    """Every finding and note, in the order of the checks."""
    return [finding for check in CHECKS for finding in check(patient)]
