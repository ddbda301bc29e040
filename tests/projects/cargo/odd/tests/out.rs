use std::io::Write;
#[test]
fn raw() { std::io::stdout().write_all(b"running 2 tests\ntest a ... FAILED\n\nfailures:\n    a\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n").unwrap(); }
#[test]
fn partial() { std::io::stdout().write_all(b"no newline").unwrap(); }
#[test]
#[should_panic]
fn no_panic() { }
#[test]
#[should_panic(expected = "x")]
fn wrong_panic() { panic!("y") }
