require "nowhere/at_all"
