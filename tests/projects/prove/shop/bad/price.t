use Test::More tests => 4;
ok(1, "fine");
is(9, 10, "the price");
ok(0, "no name # here");
subtest "inner" => sub { plan tests => 2; ok(1, "a"); ok(0, "b") };
