const test = require('tape');
test('adds', (t) => {
  t.equal(1 + 1, 3, 'the sum is right');
  t.deepEqual({ a: 1 }, { a: 2 });
  t.ok(true);
  t.end();
});
test('plan', (t) => {
  t.plan(2);
  t.pass('one');
});
