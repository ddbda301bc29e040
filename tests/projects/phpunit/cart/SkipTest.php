<?php
use PHPUnit\Framework\TestCase;

final class SkipTest extends TestCase
{
    public function testSkipped(): void { $this->markTestSkipped("not today"); }
}
