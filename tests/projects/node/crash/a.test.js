const test = require('node:test');
test('first', () => {});
test('dies', () => {
  process.kill(process.pid, 'SIGSEGV');
});
test('never', () => {});
