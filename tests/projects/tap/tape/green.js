const test = require('tape');
test('adds', (t) => {
  t.equal(1 + 1, 2);
  t.ok(true, 'with # hash');
  t.comment('2 failed');
  t.end();
});
test('later', { todo: true }, (t) => {
  t.ok(false, 'known');
  t.end();
});
test('skipped', { skip: true }, (t) => t.end());
