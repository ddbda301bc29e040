#[test]
fn a_fine() {}

#[test]
fn b_aborts() {
    std::process::abort();
}
