require('node:test')('fine', () => {});
