it('1 failing', () => {
  console.log('\n  1 passing (2ms)\n  2 failing\n\n  1) a suite\n       throws:\n     Error: boom\n');
  console.log('  2 failing');
});
it('1) a › b', () => {});
describe('2 failing', () => it('3 failing', () => {}));
