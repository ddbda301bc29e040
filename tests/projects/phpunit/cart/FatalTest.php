<?php
final class FatalTest extends PHPUnit\Framework\TestCase {
  public function testFine(): void { $this->assertTrue(true); }
  public function testDies(): void { exit(0); }
}
