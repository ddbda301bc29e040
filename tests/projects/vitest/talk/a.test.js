import { test } from 'vitest';

test('1 failed', () => {
  console.log('\n Test Files  1 failed (1)\n      Tests  2 failed | 3 passed (5)\n   Start at  10:00:00\n   Duration  1s\n');
  console.error(' FAIL  x.test.js > y\nAssertionError: no');
});
test('FAIL  a > b', () => {});
