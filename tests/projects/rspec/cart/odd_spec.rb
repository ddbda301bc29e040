RSpec.configure { |c| c.before(:suite) { raise "no db" } if ENV["SUITE"] }
RSpec.describe "A" do
  it("prints a report") { puts "Failures:", "", "  1) Fake thing", "     Failure/Error: x", "", "Finished in 0.1 seconds (files took 0.2 seconds to load)", "3 examples, 1 failure", "" }
  it("fails with a report") { puts "Finished in 0.1 seconds (files took 0.2 seconds to load)", "3 examples, 1 failure"; raise "a\n\n  1) inner numbered\n\nFailures:\n\n  2) second" }
  5.times { |n| it("same name") { expect(n).to be < 3 } }
  it("has a very long\nname over lines") { raise "x" }
  context "empty context" do end
  xit("x'd") { }
  it("at exit") { at_exit { puts "3 examples, 9 failures" } }
end
