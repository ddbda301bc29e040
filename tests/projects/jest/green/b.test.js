test('other', () => {});
