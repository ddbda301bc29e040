require('./missing');
it('never', () => {});
