pub fn two() -> i32 {
    2
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_works() {
        assert_eq!(super::two(), 2);
    }

    #[test]
    fn also() {
        assert!(super::two() > 2, "two is small");
    }
}
