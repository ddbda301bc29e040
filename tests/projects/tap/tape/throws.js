const test = require('tape');
test('first', (t) => {
  t.pass('one');
  t.end();
});
test('throws', () => {
  throw new Error('boom');
});
