const test = require('node:test');

test('1 failed', () => {
  console.log('# fail 2');
  console.log('not ok 1 - printed');
  console.log('ℹ fail 2');
  console.log('Tests: 2 failed, 3 total');
  console.error('✖ failing tests:');
});
test('not ok 5 - a name', () => {});
