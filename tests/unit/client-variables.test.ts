import { expect, test } from '@jest/globals';
import { createProgram, everyCommand } from '../../command-line/program.ts';
import { CLIENT_VARIABLES, WEBHOOK_VARIABLES } from '../../shared/catalog/client-variables.ts';
import { presetOf, variablesByName } from '../../shared/configuration/variables.ts';
import { documents } from '../support/documents.ts';
import { textOf } from '../support/tracked-files.ts';

const NAME = /ESTATE_[A-Z_]+/g;
/** The image that compose and the examples of the how-to guides start. */
const IMAGE = 'ESTATE_IMAGE';

async function printed(...args: readonly string[]): Promise<string> {
  const { write } = process.stdout;
  let text = '';
  process.stdout.write = (chunk: string | Uint8Array) => {
    text += String(chunk);
    return true;
  };
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } finally {
    process.stdout.write = write;
  }
  return text;
}

test('The variables of a client, and the secret of webhooks, are the variables that options of commands read', () => {
  const read = everyCommand(createProgram()).flatMap(({ options }) => options.flatMap(({ envVar }) => envVar ?? []));
  const ofClients = read.filter((name) => !(name in variablesByName));
  expect(new Set(ofClients)).toEqual(new Set([...CLIENT_VARIABLES, 'ESTATE_WEBHOOK_SECRET']));
});

test.each(['shell', 'dotenv', 'json'])('The variables of a client are the variables that estate env --format %s prints', async (format) =>
  expect((await printed('env', '--format', format)).match(NAME)).toEqual([...CLIENT_VARIABLES]),
);

test('The variables of a client and the variables of the estate are all that a document names', () => {
  const known = new Set<string>([...CLIENT_VARIABLES, ...WEBHOOK_VARIABLES, ...Object.keys(variablesByName), IMAGE]);
  const unknown = documents.flatMap((file) =>
    (textOf(file).match(NAME) ?? []).filter((name) => !known.has(name)).map((name) => `${file}: ${name}`),
  );
  expect(unknown).toEqual([]);
  const named = documents.map(textOf).join('\n');
  for (const name of [...CLIENT_VARIABLES, ...WEBHOOK_VARIABLES]) expect(named).toContain(name);
});

test('The default of each variable is shown as a text of the environment', () => {
  const shown = Object.entries(variablesByName).map(([name, schema]) => `${name}=${presetOf(schema) ?? ''}`);
  expect(shown.filter((line) => line.includes('[object'))).toEqual([]);
  expect(shown).toContain('OUTBOUND_ALLOW=loopback,host.docker.internal,host.testcontainers.internal');
});
