<?php
final class KillTest extends PHPUnit\Framework\TestCase {
  public function testDies(): void { posix_kill(getmypid(), SIGSEGV); sleep(3); }
}
