"""A run as JUnit XML: a test suite for each check, a test case for each test that the runner named."""

from __future__ import annotations

import time
import xml.etree.ElementTree as ET

from ralph_hooks.check.evidence.text import clean
from ralph_hooks.check.verdict import PASSES, CheckResult, Run

TAIL_CHARS = 16384


def junit(run: Run) -> bytes:
    """The XML file. Counts are those of the cases listed; the runner's own stand in the suite's properties."""
    root = ET.Element("testsuites", name="ralph-hooks", time=f"{run.duration:.3f}")
    started = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(run.started))
    for check in run.checks:
        root.append(_suite(check, started))
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _suite(check: CheckResult, started: str) -> ET.Element:
    suite = ET.Element("testsuite", name=_xml(check.name), timestamp=started, time=f"{check.duration:.3f}")
    properties = ET.SubElement(suite, "properties")
    for name, value in _facts(check).items():
        ET.SubElement(properties, "property", name=name, value=_xml(value))
    cases = [_own_case(check), *_test_cases(check)]
    suite.extend(cases)
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(sum(case.find(tag) is not None for case in cases)))
    suite.set("tests", str(len(cases)))
    ET.SubElement(suite, "system-out").text = _xml(clean(check.tail))[-TAIL_CHARS:]
    return suite


def _facts(check: CheckResult) -> dict[str, str]:
    facts = {"verdict": check.verdict, "log": check.log, "remembered": str(check.remembered).lower()}
    if check.evidence is not None:
        counts = {key: getattr(check.evidence, key) for key in ("passed", "failing", "skipped")}
        facts |= {"runner": check.evidence.runner} | {k: str(v) for k, v in counts.items() if v is not None}
    return facts


def _own_case(check: CheckResult) -> ET.Element:
    """The check itself as a case, so that a red one without named tests is red here too."""
    case = ET.Element("testcase", name=_xml(check.name), classname="check", time=f"{check.duration:.3f}")
    if check.verdict not in PASSES:
        tag = "failure" if check.verdict == "RED" else "error"
        ET.SubElement(case, tag, type=check.verdict, message=_xml(check.why or check.verdict))
    return case


def _test_cases(check: CheckResult) -> list[ET.Element]:
    if check.evidence is None:
        return []
    texts = {failure.id: failure.text for failure in check.evidence.failures}
    statuses = dict.fromkeys(texts, "failed") | check.evidence.statuses
    cases = []
    for test, status in statuses.items():
        case = ET.Element("testcase", name=_xml(test), classname=_xml(check.name))
        if status == "failed":
            text = _xml(clean(texts.get(test, "").encode("utf-8", "replace")))
            ET.SubElement(case, "failure", message=text.strip().partition("\n")[0][:200]).text = text
        elif status in ("skipped", "xfailed"):
            ET.SubElement(case, "skipped", message=status)
        cases.append(case)
    return cases


def _xml(text: str) -> str:
    """Only the characters that XML 1.0 can hold."""
    return "".join(
        c
        for c in text
        if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff" and c < "\ufffe") or c >= "\U00010000"
    )
