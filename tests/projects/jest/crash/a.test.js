test('ok', () => {});
test('dies', () => {
  process.kill(process.pid, 'SIGSEGV');
});
