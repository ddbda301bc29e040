const test = require('node:test');
const assert = require('node:assert');

test('adds', () => assert.strictEqual(1 + 1, 2));
test('with # hash and - dash', () => {});
test('skipped', { skip: 'not here' }, () => assert.fail());
test('later', { todo: 'write it' }, () => assert.fail('known'));
test('parent', async (t) => {
  await t.test('child', () => {});
  await t.test('other child', () => {});
});
