import { Argument, Command, InvalidArgumentError } from 'commander';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { faultPresets } from '../../shared/catalog/control/fault-presets.ts';
import { unknownWord } from '../../shared/domain/nearest-word.ts';
import { print, printJson } from '../../shared/process/terminal.ts';
import { jsonOption } from '../connection/connection.ts';
import { withExample } from '../help.ts';
import { CALLABLE_IDS } from '../operations/call.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];
const PROGRAMS = ['estate', 'unified-commerce-estate'];

export function completionCommand(program: Command): Command {
  const shell = new Argument('<shell>', SHELLS.join(', ')).argParser((text): Shell => {
    const known = SHELLS.find((one) => one === text);
    if (known === undefined) throw new InvalidArgumentError(unknownWord('shell', text, SHELLS));
    return known;
  });
  const command = new Command('completion')
    .description(
      'Prints a script that completes commands, options, scenarios and presets of faults in a shell: source <(estate completion bash).',
    )
    .addArgument(shell)
    .addOption(jsonOption());
  return withExample(command, 'completion bash').action((chosen: Shell, { json }: { json: boolean }) => {
    const words = wordsOf(program);
    if (json) printJson(Object.fromEntries(words), 2);
    else print(`${scripts[chosen](words)}\n`);
  });
}

/** The words that an argument accepts, by its command. */
const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  rehearse: scenarios.map(({ name }) => name),
  completion: SHELLS,
  'fault set': faultPresets.map(({ id }) => id),
  call: CALLABLE_IDS,
};

/** The words that may come next, by the words typed so far. */
type Words = ReadonlyMap<string, readonly string[]>;

function wordsOf(command: Command, path: readonly string[] = []): Words {
  const flags = command.options.flatMap(({ long }) => long ?? []);
  const names = command.commands.map((one) => one.name());
  const words = path.join(' ');
  return new Map([
    [words, [...names, ...(argumentsOf[words] ?? []), ...flags, '--help']],
    ...command.commands.flatMap((one) => [...wordsOf(one, [...path, one.name()])]),
  ]);
}

const cases = (words: Words): string => [...words].map(([path, next]) => `    '${path}') next='${next.join(' ')}' ;;`).join('\n');

/** Reduces the typed line to the words of a command, without options and arguments. */
const bashPath = (words: Words): string => {
  const known = [...words.keys()].filter((path) => path !== '').map((path) => `'${path}'`);
  return `  local path='' next='' word
  for word in "\${typed[@]}"; do
    case "\${path:+$path }$word" in ${known.join('|')}) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases(words)}
  esac`;
};

const scripts: Readonly<Record<Shell, (words: Words) => string>> = {
  bash: (words) => `_estate() {
  local typed=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
${bashPath(words)}
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _estate ${PROGRAMS.join(' ')}`,
  zsh: (words) => `#compdef ${PROGRAMS.join(' ')}
_estate() {
  local -a typed=("\${(@)words[2,CURRENT-1]}")
${bashPath(words)}
  compadd -- \${=next}
}
compdef _estate ${PROGRAMS.join(' ')}`,
  fish: (words) =>
    PROGRAMS.flatMap((program) => [
      `complete -c ${program} -f`,
      ...[...words].map(([path, next]) => `complete -c ${program} -n '${fishCondition(path, words)}' -a '${next.join(' ')}'`),
    ]).join('\n'),
};

/** Matches when all words of the path are typed, and no word of a subcommand. */
function fishCondition(path: string, words: Words): string {
  const seen = path === '' ? [] : path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  const depth = seen.length;
  const further = [...words.keys()].filter((other) => other.split(' ').length === depth + 1 && other.startsWith(path) && other !== '');
  const names = further.map((other) => other.split(' ').at(-1));
  return [...seen, ...(names.length > 0 ? [`not __fish_seen_subcommand_from ${names.join(' ')}`] : [])].join('; and ') || 'true';
}
