const { describe, it } = require('node:test');

describe('a suite', () => {
  it('works', () => {});
  describe('inner', () => {
    it('works too', () => {});
  });
});
