import { describe, expect, it, test } from 'vitest';

test('ok', () => {});
test('adds', () => {
  console.log('      Tests  2 failed | 3 passed (5)');
  expect(1 + 1).toBe(3);
});
describe('a suite', () => {
  it('compares > deeply', () => expect({ a: 1, b: [1, 2] }).toEqual({ a: 2, b: [1, 2] }));
  describe('inner', () => {
    it('throws', () => {
      throw new TypeError('boom');
    });
    it('times out', () => new Promise(() => {}), 50);
  });
});
test.skip('skipped', () => {});
test.fails('fixed', () => {});
