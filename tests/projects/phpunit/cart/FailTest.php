<?php
use PHPUnit\Framework\TestCase;

final class FailTest extends TestCase
{
    public function testAdds(): void { $this->assertSame(2, 1 + 1); }
    public function testPrice(): void { $this->assertSame(10, 9, "the price is wrong"); }
    public function testRaises(): void { throw new RuntimeException("no stock"); }
    public function testLater(): void { $this->markTestIncomplete("later"); }
    public function testSkipped(): void { $this->markTestSkipped("not today"); }
    public function testRisky(): void { }
    /** @dataProvider rows */
    public function testRows(int $a, int $b): void { $this->assertSame($a, $b); }
    public static function rows(): array { return ["same" => [1, 1], "not same" => [1, 2]]; }
}
