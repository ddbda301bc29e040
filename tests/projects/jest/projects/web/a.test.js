test('same name', () => expect('web').toBe('api'));
