const test = require('node:test');
test('adds', () => {});
test('leaves', () => process.exit(0));
test('never', () => {});
