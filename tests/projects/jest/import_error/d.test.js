// no tests here
