//! Left.
//!
//! ```
//! assert_eq!(left::one(), 1);
//! ```

pub fn one() -> i32 {
    1
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_works() {
        assert_eq!(super::one(), 2);
    }
}
