test('1 failed', () => {
  console.log('Tests:       2 failed, 3 total');
  console.error('FAIL ./x.test.js\n  ● x › y\n\n    boom');
  process.stdout.write('Test Suites: 1 failed, 1 total\nTests:       2 failed, 3 total\n');
});
test('● a › b', () => {});
