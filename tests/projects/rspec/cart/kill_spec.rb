RSpec.describe "Kill" do
  it("fine") { }
  it("dies") { Process.kill(:KILL, Process.pid); sleep 5 }
end
