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

const COMMANDS_OF_A_CI = [
  '::error file=a.ts::owned',
  '  ::add-mask::a',
  'x\r::set-output name=a::b',
  ':\u0000:stop-commands::x',
  '##vso[task.setvariable variable=a]b',
  'x ##[command]a',
];
/** As GitHub and Azure Pipelines parse a line. */
const isCommand = (line: string): boolean => /^\s*::[a-z]/i.test(line) || /##\w*\[/.test(line);

test('A text that a command prints contains no line that a CI runs as its command', () => {
  const text = `a\n${COMMANDS_OF_A_CI.join('\n')}\n`;
  expect(printed(text).split('\n').filter(isCommand)).toEqual([]);
  expect(printed(text)).toContain('\n: :error file=a.ts::owned\n');
  expect(printed('at ::1, a::b, ::\n## Heading [link]\n')).toBe('at ::1, a::b, ::\n## Heading [link]\n');
});

test('A text that a command prints is cleaned in linear time', () => {
  const steps = (text: string): number => {
    const began = process.cpuUsage();
    printed(text);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };
  // For a text of this length, a quadratic algorithm takes half a minute, and a linear one takes milliseconds on any machine.
  for (const piece of ['\u009D', '\u001B]', '\u009B1', '\u001B[1', '\r', '\u2028', '#', '##a', ' ', ':', '\n ::']) {
    expect([piece, steps(piece.repeat(120_000 / piece.length)) < 5_000]).toEqual([piece, true]);
  }
});
