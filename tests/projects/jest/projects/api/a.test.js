test('same name', () => {});
test('red', () => expect([1]).toContain(2));
