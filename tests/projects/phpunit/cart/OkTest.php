<?php
use PHPUnit\Framework\TestCase;

final class OkTest extends TestCase
{
    public function testAdds(): void { $this->assertSame(2, 1 + 1); }
    public function testTalks(): void { fwrite(STDERR, "FAILURES!\nTests: 9, Assertions: 9, Failures: 4.\n"); $this->assertTrue(true); }
}
