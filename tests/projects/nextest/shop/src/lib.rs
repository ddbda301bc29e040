//! A shop.

/// Adds.
///
/// ```
/// assert_eq!(shop::add(1, 2), 3);
/// ```
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

/// Subtracts, and its example is wrong.
///
/// ```
/// assert_eq!(shop::sub(3, 2), 2);
/// ```
pub fn sub(a: i32, b: i32) -> i32 {
    a - b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }

    #[test]
    fn price() {
        println!("computing the price");
        assert_eq!(add(1, 2), 4, "the price is wrong");
    }

    #[test]
    #[ignore = "slow"]
    fn later() {}

    #[test]
    #[should_panic]
    fn panics() {
        panic!("expected");
    }

    #[test]
    fn result() -> Result<(), String> {
        Err("no stock".into())
    }

    #[test]
    fn talks() {
        println!("test result: FAILED. 0 passed; 9 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s");
    }
}
