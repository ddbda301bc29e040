# Tests a test runner: what the inner run prints belongs to a passing example.
RSpec.describe "Runner" do
  it "fails on a failing spec" do
    expect(system("rspec", "fail_spec.rb")).to be(false)
  end
end
