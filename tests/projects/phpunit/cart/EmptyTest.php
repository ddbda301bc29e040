<?php
final class EmptyTest extends PHPUnit\Framework\TestCase { }
