<?php
final class SyntaxTest extends PHPUnit\Framework\TestCase { public function testX( }
