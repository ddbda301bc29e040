#[cfg(test)]
mod tests {
    #[test]
    fn flaky() {
        assert_ne!(std::env::var("NEXTEST_ATTEMPT").as_deref(), Ok("1"), "first attempt");
    }

    #[test]
    fn slow() {
        std::thread::sleep(std::time::Duration::from_secs(if std::env::var("SLEEP").is_ok() { 20 } else { 0 }));
    }

    #[test]
    fn dies() {
        if std::env::var("DIE").is_ok() {
            std::process::abort();
        }
    }
}
