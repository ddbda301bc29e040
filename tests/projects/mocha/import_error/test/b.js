it('fine', () => {});
