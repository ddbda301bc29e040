test('ok', () => {});
test('exits', () => {
  process.exit(0);
});
