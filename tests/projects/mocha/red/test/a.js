const assert = require('assert');

it('ok', () => {});
it('adds', () => {
  console.log('  2 passing (3ms)\n  4 failing\n');
  assert.strictEqual(1 + 1, 3, 'the sum is wrong');
});
describe('a suite', () => {
  it('compares: deeply', () => assert.deepStrictEqual({ a: 1, b: [1, 2] }, { a: 2, b: [1, 2] }));
  describe('inner', () => {
    it('throws', () => {
      throw new TypeError('boom');
    });
    it('times out', (done) => {}).timeout(50);
  });
});
it.skip('skipped', () => {});
describe('hooks', () => {
  before(() => {
    throw new Error('hook is broken');
  });
  it('never', () => {});
});
describe('each', () => {
  afterEach(() => {
    throw new Error('after is broken');
  });
  it('first', () => {});
  it('second', () => {});
});
