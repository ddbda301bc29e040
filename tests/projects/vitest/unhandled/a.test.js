import { test } from 'vitest';
test('ok', () => {
  setTimeout(() => {
    throw new Error('nobody catches this');
  }, 5);
  return new Promise((done) => setTimeout(done, 60));
});
