import { test } from 'vitest';
test('ok', () => {});
test('dies', () => process.kill(process.pid, 'SIGSEGV'));
