@test "fine" {
  true
}
@test "the sum" {
  echo "2 failed, 1 passed"
  [ $((1 + 1)) -eq 3 ]
}
@test "missing program" {
  nosuchprogram --help
}
