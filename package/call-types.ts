import type { z } from 'zod';
import { apis } from '../shared/catalog/apis.ts';
import { type ControlOperation, isStream } from '../shared/catalog/control/define-operation.ts';
import { controlOperations } from '../shared/catalog/control/operations.ts';
import { allEvents } from '../shared/catalog/events.ts';
import { objects } from '../shared/catalog/objects.ts';
import { Money } from '../shared/catalog/shapes.ts';

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
const UNTYPED: readonly string[] = ['carrier-webhook', 'label-document', 'collection-code'];

/** The types of rehearsal/call-types.ts, written out: users' compilers need neither the catalog nor its library of schemas. */
export function callTypes(): string {
  const texts = new TypeTexts();
  texts.of(Money, 'output');
  const operations: readonly ControlOperation[] = Object.values(controlOperations);
  const typed = Object.values(apis).filter(({ id }) => !UNTYPED.includes(id));
  const ofApis = typed.map((api) => callText(texts, api, true));
  const ofOperations = operations.filter((operation) => !isStream(operation)).map((operation) => callText(texts, operation, false));
  const ofStreams = operations.filter(isStream).map((stream) => {
    const kinds = Object.entries(stream.frames).map(
      ([kind, data]) => `{ readonly event: ${JSON.stringify(kind)}; readonly id: string; readonly data: ${texts.of(data, 'output')} }`,
    );
    return `${comment(stream)}  '${stream.id}': { input: ${inputText(texts, stream)}; frame: ${kinds.join(' | ')} };`;
  });
  const ofObjects = objects.map(
    ({ type, meaning, schema }) => `${comment({ summary: meaning })}  '${type}': ${texts.of(schema, 'output')};`,
  );
  const ofEvents = allEvents.map(({ name, meaning, object }) => `${comment({ summary: meaning })}  '${name}': Objects['${object}'];`);
  return `${texts.declarations()}
export type NoInput = ${NO_INPUT};

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
export type ApiInput<Id extends TypedApiId> = Apis[Id]['input'] & { readonly headers?: Readonly<Record<string, string>> };
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

const callText = (texts: TypeTexts, call: Call, hasRoute: boolean): string =>
  `${comment(call)}  '${call.id}': { input: ${inputText(texts, call)}; output: ${texts.of(call.response, 'output')}${hasRoute ? `; route: '${call.method} ${call.path}'` : ''} };`;

function inputText(texts: TypeTexts, { path, query, request }: Call): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `readonly ${name}: string`);
  const sections = [
    section('params', names.length === 0 ? 'Record<never, string>' : `{ ${names.join('; ')} }`, names.length > 0),
    section('query', texts.of(query, 'input'), !texts.takesNoMembers(query)),
    section('body', texts.of(request, 'input'), !texts.takesNoMembers(request)),
  ];
  const text = `{ ${sections.join('; ')} }`;
  return text === NO_INPUT ? 'NoInput' : text;
}

/** The input of many calls. Its name keeps the declarations small. */
const NO_INPUT =
  '{ readonly params?: Record<never, string>; readonly query?: Record<string, never>; readonly body?: Record<string, never> }';

const section = (name: string, text: string, isRequired: boolean): string => `readonly ${name}${isRequired ? '' : '?'}: ${text}`;

type Direction = 'input' | 'output';
type Schema = z.core.$ZodTypes;

/** The type of a list. The short form keeps the declarations small. */
const listOf = (element: string): string => (/^\w+$|^\{[^{}]*\}$/.test(element) ? `${element}[]` : `Array<${element}>`);

/** Writes schemas as TypeScript, like `z.input` and `z.output`. A schema with an id becomes a named type, or two where they differ. */
export class TypeTexts {
  readonly #declared = new Map<string, string>();

  /** All named types that the texts so far refer to. */
  declarations(): string {
    return [...this.#declared]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, text]) => `export type ${name} = ${text};`)
      .join('\n');
  }

  of(schema: z.ZodType | z.core.$ZodType, direction: Direction): string {
    const id = (schema as z.ZodType).meta?.()?.id;
    const text = this.#text(schema as Schema, direction);
    // A schema with another description has lost its id. The name of an amount keeps the declarations small.
    if (id === undefined) return text === this.#declared.get('Money') ? 'Money' : text;
    const name = direction === 'input' && text !== this.#text(schema as Schema, 'output') ? `${id}Input` : id;
    if ((this.#declared.get(name) ?? text) !== text) throw new Error(`Two schemas have the id ${name}.`);
    this.#declared.set(name, text);
    return name;
  }

  /** Whether an object without members is an input, by its type. */
  takesNoMembers(schema: z.ZodType | z.core.$ZodType): boolean {
    const { def } = (schema as Schema)._zod;
    if (def.type === 'object') return Object.values(def.shape).every((member) => member._zod.optin !== undefined);
    if (def.type === 'union') return def.options.some((option) => this.takesNoMembers(option));
    throw new Error(`A section of type ${def.type} is neither an object nor a union: add it to package/call-types.ts.`);
  }

  #text({ _zod: { def } }: Schema, direction: Direction): string {
    switch (def.type) {
      case 'string':
      case 'number':
      case 'boolean':
      case 'null':
      case 'undefined':
      case 'unknown':
      case 'any':
      case 'never':
        return def.type;
      // The types of a function are unknown at run time.
      case 'transform':
        return 'unknown';
      case 'literal':
        return def.values.map((value) => JSON.stringify(value)).join(' | ');
      case 'enum':
        return Object.values(def.entries)
          .map((value) => JSON.stringify(value))
          .join(' | ');
      case 'object':
        return this.#object(def, direction);
      case 'array':
        return listOf(this.of(def.element, direction));
      case 'record':
        return `Record<${this.of(def.keyType, direction)}, ${this.of(def.valueType, direction)}>`;
      case 'union':
        return def.options.map((option) => this.of(option, direction)).join(' | ');
      case 'intersection':
        return `(${this.of(def.left, direction)}) & (${this.of(def.right, direction)})`;
      case 'optional':
        return `${this.of(def.innerType, direction)} | undefined`;
      case 'nullable':
        return `${this.of(def.innerType, direction)} | null`;
      case 'default':
        return `${this.of(def.innerType, direction)}${direction === 'input' ? ' | undefined' : ''}`;
      case 'readonly':
        return `Readonly<${this.of(def.innerType, direction)}>`;
      case 'pipe':
        return this.of(direction === 'input' ? def.in : def.out, direction);
      default:
        throw new Error(`Schemas of type ${def.type} cannot be written as TypeScript yet: add them to package/call-types.ts.`);
    }
  }

  #object({ shape, catchall }: z.core.$ZodObjectDef, direction: Direction): string {
    const members = Object.entries(shape).map(([name, member]) => {
      const isOptional = (direction === 'input' ? member._zod.optin : member._zod.optout) !== undefined;
      return `${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}${isOptional ? '?' : ''}: ${this.of(member, direction)}`;
    });
    const hasOthers = catchall !== undefined && catchall._zod.def.type !== 'never';
    if (hasOthers) members.push(`[member: string]: ${this.of(catchall, direction)}`);
    // An object without members must be empty.
    return members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }`;
  }
}
