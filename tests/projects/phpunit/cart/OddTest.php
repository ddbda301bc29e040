<?php
final class OddTest extends PHPUnit\Framework\TestCase {
  public static function setUpBeforeClass(): void { if (getenv("BC")) throw new Exception("before class"); }
  public function testText(): void { $this->fail("There was 1 failure:\n\n1) Fake::test\nx\n\nFAILURES!\nTests: 9, Assertions: 9, Failures: 4.\n"); }
  public function testOutput(): void { echo "Time: 00:00.001, Memory: 4.00 MB\n\nOK (5 tests, 5 assertions)\n"; $this->assertTrue(false); }
  public function testWarning(): void { trigger_error("w", E_USER_WARNING); }
  public function testNotice(): void { trigger_error("n", E_USER_DEPRECATED); $this->assertTrue(true); }
  public function testDump(): void { var_dump([1]); $this->assertTrue(true); }
}
