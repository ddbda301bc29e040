#[test]
fn overflow() { fn f(n: u64) -> u64 { if n == 0 { 0 } else { f(n + 1) + 1 } } println!("{}", f(1)); }
