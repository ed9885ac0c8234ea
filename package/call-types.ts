import type { z } from 'zod';
import { apis } from '../shared/catalog/apis.ts';
import { type ControlOperation, isStream } from '../shared/catalog/control/define-operation.ts';
import { controlOperations } from '../shared/catalog/control/operations.ts';
import { allEvents } from '../shared/catalog/events.ts';
import { objects } from '../shared/catalog/objects.ts';
import { TypeTexts } from './type-text.ts';

interface Call {
  readonly id: string;
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  readonly query: z.ZodType;
  readonly request: z.ZodType;
  readonly response: z.ZodType;
}

/** APIs without types, the same as in rehearsal/call-types.ts. */
const UNTYPED: readonly string[] = ['carrier-webhook', 'label-document'];

/** The types of rehearsal/call-types.ts, written out: users' compilers need neither the catalog nor its library of schemas. */
export function callTypes(): string {
  const texts = new TypeTexts();
  const operations: readonly ControlOperation[] = Object.values(controlOperations);
  const typed = Object.values(apis).filter(({ id }) => !UNTYPED.includes(id));
  const ofApis = typed.map((api) => callText(texts, api, true));
  const ofOperations = operations.filter((operation) => !isStream(operation)).map((operation) => callText(texts, operation, false));
  const ofStreams = operations.filter(isStream).map((stream) => {
    const kinds = Object.entries(stream.frames).map(
      ([kind, data]) => `{ readonly event: ${JSON.stringify(kind)}; readonly id: string; readonly data: ${texts.of(data, 'output')} }`,
    );
    return `${comment(stream)}  '${stream.id}': { input: ${inputText(texts, stream, false)}; frame: ${kinds.join(' | ')} };`;
  });
  const ofObjects = objects.map(
    ({ type, meaning, schema }) => `${comment({ summary: meaning })}  '${type}': ${texts.of(schema, 'output')};`,
  );
  const ofEvents = allEvents.map(({ name, meaning, object }) => `${comment({ summary: meaning })}  '${name}': Objects['${object}'];`);
  return `${texts.declarations()}

export interface Apis {
${ofApis.join('\n')}
}

export interface Operations {
${ofOperations.join('\n')}
}

export interface Streams {
${ofStreams.join('\n')}
}

export interface Objects {
${ofObjects.join('\n')}
}

export interface Events {
${ofEvents.join('\n')}
}

export type TypedApiId = keyof Apis;
export type ApiInput<Id extends TypedApiId> = Apis[Id]['input'];
export type ApiOutput<Id extends TypedApiId> = Apis[Id]['output'];
export type ApiRoute<Id extends TypedApiId> = Apis[Id]['route'];
export type CalledId = keyof Operations;
export type OperationInput<Id extends CalledId> = Operations[Id]['input'];
export type OperationOutput<Id extends CalledId> = Operations[Id]['output'];
export type StreamId = keyof Streams;
export type StreamInput<Id extends StreamId> = Streams[Id]['input'];
export type StreamFrame<Id extends StreamId> = Streams[Id]['frame'];
export type ObjectType = keyof Objects;
export type BusinessObject<Type extends ObjectType> = Objects[Type];
export type EventName = keyof Events;
export type EventObject<Name extends EventName> = Events[Name];
`;
}

const comment = ({ summary }: Pick<Call, 'summary'>): string => `  /** ${summary.replaceAll('*/', '* /')} */\n`;

const callText = (texts: TypeTexts, call: Call, takesHeaders: boolean): string =>
  `${comment(call)}  '${call.id}': { input: ${inputText(texts, call, takesHeaders)}; output: ${texts.of(call.response, 'output')}${takesHeaders ? `; route: '${call.method} ${call.path}'` : ''} };`;

function inputText(texts: TypeTexts, { path, query, request }: Call, takesHeaders: boolean): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `readonly ${name}: string`);
  const sections = [
    section('params', names.length === 0 ? 'Record<never, string>' : `{ ${names.join('; ')} }`, names.length > 0),
    section('query', texts.of(query, 'input'), !texts.takesNoMembers(query)),
    section('body', texts.of(request, 'input'), !texts.takesNoMembers(request)),
  ];
  return `{ ${[...sections, ...(takesHeaders ? ['readonly headers?: Readonly<Record<string, string>>'] : [])].join('; ')} }`;
}

const section = (name: string, text: string, isRequired: boolean): string => `readonly ${name}${isRequired ? '' : '?'}: ${text}`;
