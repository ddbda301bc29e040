@test "fine" {
  true
}
@test "open {
