import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ConnectionError, ControlError } from '../rehearsal/estate-client.ts';
import { IN_WORDS, mistakesIn } from '../shared/contract/issue-words.ts';
import type { InSequence } from '../shared/process/waiting.ts';
import { PathRefused } from '../shared/transport/path.ts';
import { written } from './answer.ts';
import { prompts } from './prompts.ts';
import { families, type ResourceFamily, resources } from './resources.ts';
import { type Tool, tools } from './tools.ts';
import { AgentMistake, type WorldsUntil } from './worlds.ts';

const INSTRUCTIONS =
  'A simulated retailer with a store, a warehouse, a carrier and a payment provider, to test integrations on. Open a world with open_world: it is yours alone. Make calls with call, wait for their consequences, move time with advance, break and mend things, and verify the records. Each answer names the next step.';

type InWords = ReturnType<typeof withWords>;

const known = new WeakMap<z.ZodObject, InWords>();

/** The schema in the form that the library takes. Each request has its own server, and making the JSON Schemas takes longer than the rest. */
export function inWords(schema: z.ZodObject): InWords {
  const made = known.get(schema) ?? withWords(schema);
  known.set(schema, made);
  return made;
}

/** It reports mistakes as sentences. */
function withWords(schema: z.ZodObject) {
  const validate = (value: unknown) => {
    const { data, error } = schema.safeParse(value, IN_WORDS);
    return error ? { issues: [...mistakesIn(error.issues)].map(({ path, detail }) => ({ path, message: detail })) } : { value: data };
  };
  const { jsonSchema, ...standard } = schema['~standard'];
  const inputs = new Map<string, Record<string, unknown>>();
  const input: typeof jsonSchema.input = (options) => {
    const key = JSON.stringify(options);
    const made = inputs.get(key) ?? withoutReferences(jsonSchema.input(options));
    inputs.set(key, made);
    return made;
  };
  return { '~standard': { ...standard, jsonSchema: { ...jsonSchema, input }, validate } };
}

/** The schema with its named parts in their places: some clients do not follow references in the input of a tool. */
function withoutReferences({ $defs, ...schema }: Record<string, unknown>): Record<string, unknown> {
  const named = ($defs ?? {}) as Readonly<Record<string, object>>;
  const inPlace = (text: string): Record<string, unknown> =>
    JSON.parse(text, (_name, value) => {
      const { $ref, ...own } = (value ?? {}) as { readonly $ref?: string };
      return typeof $ref === 'string' ? { ...inPlace(JSON.stringify(named[$ref.slice('#/$defs/'.length)])), ...own } : value;
    });
  return inPlace(JSON.stringify(schema));
}

/** A server for one agent, whose worlds are given. @param inTurn runs the calls of tools; by default, calls run concurrently */
export function createAgentServer(version: string, worldsUntil: WorldsUntil, inTurn: InSequence = (work) => work()): McpServer {
  const server = new McpServer(
    { name: 'unified-commerce-estate', title: 'Unified commerce estate', version },
    { instructions: INSTRUCTIONS },
  );
  for (const tool of tools) {
    const { name, title, description, input, readOnly } = tool;
    const annotations = { readOnlyHint: readOnly, openWorldHint: false };
    server.registerTool(name, { title, description, inputSchema: inWords(input), annotations }, (given, { mcpReq: { signal } }) =>
      inTurn(() => run(tool, given as never, worldsUntil(signal))),
    );
  }
  for (const { name, uri, title, description, text } of resources) {
    server.registerResource(name, uri, { title, description, mimeType: 'text/plain' }, () => ({
      contents: [{ uri, mimeType: 'text/plain', text: text() }],
    }));
  }
  for (const family of families) registerFamily(server, family);
  for (const { name, title, description, argument, text } of prompts) {
    const argsSchema = z.object({ [argument.name]: z.string().max(500).optional().describe(argument.description) });
    server.registerPrompt(name, { title, description, argsSchema }, (given) => ({
      messages: [{ role: 'user', content: { type: 'text', text: text(given[argument.name]) } }],
    }));
  }
  return server;
}

const MISTAKES = [AgentMistake, PathRefused, ControlError, ConnectionError];

/** Mistakes, refusals and a missing estate are answers that the agent can act on. Other errors are defects. */
async function run(tool: Tool, given: never, worlds: ReturnType<WorldsUntil>) {
  try {
    return { content: [{ type: 'text' as const, text: written(await tool.run(given, worlds)) }] };
  } catch (error) {
    if (!(error instanceof Error && MISTAKES.some((kind) => error instanceof kind))) throw error;
    const text = written({ facts: { error: error.message }, next: 'Correct the input and repeat the tool.' });
    return { content: [{ type: 'text' as const, text }], isError: true };
  }
}

function registerFamily(server: McpServer, { name, template, title, description, ids, text }: ResourceFamily): void {
  const complete = { id: (begun: string) => ids.filter((id) => id.startsWith(begun)) };
  server.registerResource(
    name,
    new ResourceTemplate(template, { list: undefined, complete }),
    { title, description },
    ({ href }, { id }) => {
      const found = text(String(id));
      if (found === undefined) throw new Error(`There is no ${name} ${String(id)}: ${ids.join(', ')}.`);
      return { contents: [{ uri: href, mimeType: found.startsWith('{') ? 'application/json' : 'text/plain', text: found }] };
    },
  );
}
