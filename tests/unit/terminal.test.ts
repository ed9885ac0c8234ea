import { expect, test } from '@jest/globals';
import { print, styled } from '../../shared/process/terminal.ts';

const printed = (text: string): string => {
  let written = '';
  print(text, { write: (part) => (written += part) });
  return written;
};

test('A text that a command prints loses the escape sequences, control characters and changes of direction of its data', () =>
  expect(printed('a\u001B[2Jb\u001B]0;title\u0007c\u009B1md\u0000\u0008e\rf\u202Eg')).toBe('abcdefg'));

test('A text that a command prints keeps line ends, tabs and the styles of the command itself', () => {
  const style = styled('red', 'stop\u001B[2J', { validateStream: false });
  expect(printed(`one\n\ttwo ${style}`)).toBe('one\n\ttwo \u001B[31mstop\u001B[39m');
});
