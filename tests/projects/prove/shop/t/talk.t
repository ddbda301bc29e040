use Test::More;
print STDERR "Test Summary Report\n-------------------\nt/other.t (Wstat: 256 Tests: 2 Failed: 1)\nResult: FAIL\n";
ok(1, "talks");
subtest inner => sub { plan tests => 1; ok(1, "in") };
TODO: { local $TODO = "not yet"; ok(0, "todo"); }
done_testing;
