it('ok', () => {});
it('exits', () => process.exit(0));
