RSpec.describe "Aggregate" do
  it "tells every failure", :aggregate_failures do
    expect(1).to eq(2)
    expect(3).to eq(4)
  end
  it { is_expected.to eq("something else") }
end
