print "1..0\n";
