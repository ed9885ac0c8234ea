import type { Command } from 'commander';

/** The parser's message about an invalid option, variable or argument. */
const BAD_VALUE =
  /^(?:option '(--[\w-]+)[^']*'|command-argument) (?:argument|value) '(.*?)'(?: from env '(\w+)')? is invalid(?: for argument '\w+')?\. (.*)$/s;
const UNKNOWN = /^unknown (command|option) '(.*?)'(?: \(Did you mean (?:one of )?(.*?)(?:, .*)?\?\))?$/;
const NO_VALUE = /^option '(?:-\w, )?((--[\w-]+)[^']*)' argument missing$/;
const TOO_MANY = /^too many arguments.*?Expected (\d+) arguments? but got \d+(?:: (.*?))?\.$/;
const NO_ARGUMENT = /^missing required argument '(.*)'$/;

/** Rewrites a message of the parser as a sentence for the user. */
export function asSentence(text: string, command: Command): string {
  const said = text
    .replace(/^error: /, '')
    .trimEnd()
    .replaceAll('\n', ' ');
  const otherwise = `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.$/, '')}.`;
  return `${badValue(said) ?? badWord(said, pathOf(command)) ?? otherwise}\n`;
}

function badValue(said: string): string | undefined {
  const [, option, value, variable, reason] = BAD_VALUE.exec(said) ?? [];
  if (reason === undefined) return undefined;
  // A number may occur in the reason as one of its limits.
  const isQuoted = value !== undefined && Number.isNaN(Number(value)) && reason.includes(value);
  return isQuoted ? reason : `${variable ?? option ?? ''} ${value}: ${reason}`.trimStart();
}

function badWord(said: string, path: string): string | undefined {
  const [, kind, word, nearest] = UNKNOWN.exec(said) ?? [];
  if (word !== undefined)
    return `There is no ${kind} ${word}; ${nearest === undefined ? `${path} --help lists them.` : `did you mean ${nearest}?`}`;
  const [, flags, option] = NO_VALUE.exec(said) ?? [];
  if (option !== undefined) return `${option} needs a value: ${flags}.`;
  const [, most, given] = TOO_MANY.exec(said) ?? [];
  if (most !== undefined) return `${path} takes ${most === '0' ? 'no argument' : `at most ${most}`}, not ${given}.`;
  const [, argument] = NO_ARGUMENT.exec(said) ?? [];
  return argument === undefined ? undefined : `The argument ${argument} is missing; ${path} --help shows an example.`;
}

/** `estate clock show` */
const pathOf = (command: Command): string => (command.parent === null ? '' : `${pathOf(command.parent)} `) + command.name();
