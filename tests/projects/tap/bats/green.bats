@test "adds" {
  [ $((1 + 1)) -eq 2 ]
}
@test "says not ok 3 and # hash" {
  echo "not ok 1 printed"
}
@test "skipped" {
  skip "not here"
}
