#!/usr/bin/env node
/** `estate`, for those who installed the package; in a checkout the same is `npm start` and `npm run rehearse`. */
const USAGE = `Usage: estate <command>

  start                 the whole estate in this process: gateway, applications and touchpoint mock
  rehearse [scenario]   scenarios against an estate that runs, or one that is started for them; rehearse --help says more
`;

const commands: Readonly<Record<string, () => Promise<unknown>>> = {
  start: () => import('../estate/main.ts'),
  rehearse: () => import('../rehearsal/rehearse.ts'),
};

/** Below it, some of what the estate is written in is not there. */
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
