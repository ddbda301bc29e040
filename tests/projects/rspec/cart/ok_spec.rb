RSpec.describe "Ok" do
  it("adds") { expect(1 + 1).to eq(2) }
  it("talks of failures") { puts "3 examples, 2 failures"; puts "Failures:"; puts "rspec ./x_spec.rb:3 # X fails" }
end
