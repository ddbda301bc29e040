#[test]
fn good() {}

#[test]
fn bad() {
    panic!("inner");
}
