class Main { }
