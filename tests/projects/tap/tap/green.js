const t = require('tap');
t.test('adds', (t) => {
  t.equal(1 + 1, 2);
  t.test('deeper', async (t) => t.ok(true));
  t.end();
});
t.test('skipped', { skip: 'not here' }, (t) => t.end());
t.test('later', { todo: true });
