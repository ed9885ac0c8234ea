#!/usr/bin/env node
/** The command `estate` of the installed package. In a checkout, use `npm start` and `npm run rehearse`. */
const USAGE = `Usage: estate <command>

  start                 the whole estate in this process: gateway, applications and touchpoint mock
  rehearse [scenario]   runs scenarios against a running estate, or one started for them; see rehearse --help
`;

const commands: Readonly<Record<string, () => Promise<unknown>>> = {
  start: () => import('../estate/main.ts'),
  rehearse: () => import('../rehearsal/rehearse.ts'),
};

/** Older versions lack language features that the estate uses. */
const OLDEST_NODE = 24;

const [node = '', file = '', name = '', ...rest] = process.argv;
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command === undefined) {
  const asked = name === '' || name === 'help' || name === '--help';
  process[asked ? 'stdout' : 'stderr'].write(asked ? USAGE : `There is no command ${name}.\n\n${USAGE}`);
  process.exitCode = asked ? 0 : 64;
} else if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(`estate needs Node ${OLDEST_NODE} or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 69;
} else {
  process.argv = [node, file, ...rest];
  await command();
}
