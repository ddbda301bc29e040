RSpec.describe "Exit" do
  it("fine") { }
  it("leaves") { exit!(0) }
end
