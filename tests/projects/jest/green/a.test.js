test('adds', () => expect(1 + 1).toBe(2));
test.skip('skipped', () => {
  throw new Error('never');
});
test.todo('later');
test.failing('known', () => expect(1).toBe(2));
describe('a suite', () => {
  it.each(['a b', 'x › y', '✓ z'])('takes %s', () => {});
});
