beforeAll(() => {
  throw new Error('hook is broken');
});
test('never', () => {});
test('neither', () => {});
