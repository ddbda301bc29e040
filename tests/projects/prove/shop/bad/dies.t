use Test::More tests => 2;
ok(1);
die "no database\n";
