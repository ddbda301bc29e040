import { test } from 'vitest';
test('ok', () => {});
test('exits', () => process.exit(0));
