use Test::More tests => 3;
ok(1, "adds");
is(1 + 1, 2, "sums");
SKIP: { skip "no network", 1; ok(1); }
diag("Result: FAIL");
diag("Failed 3/9 subtests");
