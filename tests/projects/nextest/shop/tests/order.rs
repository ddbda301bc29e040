#[test]
fn orders() {
    assert_eq!(shop::add(2, 2), 4);
}

#[test]
fn fails() {
    panic!("no order");
}
