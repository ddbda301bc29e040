const t = require('tap');
t.test('adds', (t) => {
  t.equal(1 + 1, 3, 'the sum is right');
  t.test('deeper', async (t) => t.same({ a: 1 }, { a: 2 }));
  t.end();
});
t.test('throws', async () => {
  throw new Error('boom');
});
t.pass('fine');
