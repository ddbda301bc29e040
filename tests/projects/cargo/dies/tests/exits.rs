#[test]
fn exits() {
    std::process::exit(0);
}
