//! Tests a test runner: what the inner run prints belongs to a passing test.
use std::process::Command;

#[test]
fn runs_the_runner() {
    let status = Command::new("cargo").args(["test", "--offline"]).current_dir("inner").status().unwrap();
    assert!(!status.success());
}

#[test]
fn z_after() {}
