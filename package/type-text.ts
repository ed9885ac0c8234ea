import type { z } from 'zod';

type Direction = 'input' | 'output';
type Schema = z.core.$ZodTypes;

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
    if (id === undefined) return text;
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
    throw new Error(`A section of type ${def.type} is neither an object nor a union: add it to package/type-text.ts.`);
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
        return `Array<${this.of(def.element, direction)}>`;
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
        throw new Error(`Schemas of type ${def.type} cannot be written as TypeScript yet: add them to package/type-text.ts.`);
    }
  }

  #object({ shape, catchall }: z.core.$ZodObjectDef, direction: Direction): string {
    const members = Object.entries(shape).map(([name, member]) => {
      const isOptional = (direction === 'input' ? member._zod.optin : member._zod.optout) !== undefined;
      return `${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}${isOptional ? '?' : ''}: ${this.of(member, direction)}`;
    });
    const hasOthers = catchall !== undefined && catchall._zod.def.type !== 'never';
    if (hasOthers) members.push(`[member: string]: ${this.of(catchall, direction)}`);
    // An object without members takes none.
    return members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }`;
  }
}
