require('./missing');
test('never', () => {});
