test('obsolete', () => expect({ a: 1 }).toMatchSnapshot());
test('inline', () => expect('2 failed').toMatchInlineSnapshot(`"1 failed"`));
