RSpec.describe "Hooks" do
  before(:context) { raise "no database" }
  it("a") { }
  it("b") { }
  after(:context) { raise "cleanup" }
end
