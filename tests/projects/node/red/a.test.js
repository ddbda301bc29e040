const test = require('node:test');
const assert = require('node:assert');

test('ok', () => {});
test('adds', () => {
  console.log('not ok 99 - printed by the test\n# fail 7');
  assert.strictEqual(1 + 1, 3, 'the sum is wrong');
});
test('parent', async (t) => {
  await t.test('child', () => assert.deepStrictEqual({ a: 1 }, { a: 2 }));
  await t.test('good child', () => {});
});
test('skipped', { skip: true }, () => {});
