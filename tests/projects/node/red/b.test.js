const { describe, it, before } = require('node:test');

describe('a suite', () => {
  it('throws', () => {
    throw new TypeError('boom');
  });
  it('rejects', async () => {
    await Promise.reject(new Error('late'));
  });
});
describe('hooks', () => {
  before(() => {
    throw new Error('hook is broken');
  });
  it('never', () => {});
});
