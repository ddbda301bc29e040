RSpec.describe "Cart" do
  it("adds") { expect(1 + 1).to eq(2) }
  it("computes the price") { expect(9).to eq(10) }
  it("raises") { raise "no stock" }
  it("later")
  it("is skipped", skip: "not today") { }
  it("is pending") { pending("known bug"); expect(1).to eq(2) }
  it("is fixed") { pending("was a bug"); expect(1).to eq(1) }
  describe "nested" do
    it("works") { }
  end
end
