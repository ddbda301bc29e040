const test = ;
