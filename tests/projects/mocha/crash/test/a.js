it('ok', () => {});
it('dies', () => {
  console.log('  1 passing (1ms)');
  process.kill(process.pid, 'SIGSEGV');
});
