const assert = require('assert');

it('adds', () => assert.strictEqual(1 + 1, 2));
it.skip('skipped', () => {
  throw new Error('never');
});
it('later');
describe('a suite', () => {
  for (const name of ['a b', '1) x', '✔ z']) it(`takes ${name}`, () => {});
  describe('inner', () => it('is slow', (done) => setTimeout(done, 120)));
});
