import { test } from 'vitest';
import './missing.js';
test('never', () => {});
