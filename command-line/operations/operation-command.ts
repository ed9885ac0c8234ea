import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import type { CalledId, controlOperations } from '../../shared/catalog/control/operations.ts';
import type { Look } from '../output/table.ts';
import type { ValueHints } from './member-option.ts';
import type { Presets } from './presets.ts';

/** How the command line offers an operation. Arguments, options and help are generated from the operation. */
export interface OperationCommand<Id extends CalledId = CalledId> extends ValueHints {
  /** A noun, and usually a verb. Operations with the same words differ in the number of their arguments. */
  readonly words: string;
  /** What follows the words in each example. Default: nothing. */
  readonly example?: string | readonly string[];
  /** Replaces the summary of the operation. */
  readonly summary?: string;
  /** Values of query and body that are arguments, in order; `rehearsal` is the name of the rehearsal. */
  readonly positional?: readonly string[];
  /** Descriptions of arguments that replace the schema's. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** Parameters of the path that the words imply. */
  readonly inPath?: Readonly<Record<string, string>>;
  /** Values of the body that the words imply. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Values that are sent unless an option gives them. */
  readonly unlessGiven?: Readonly<Record<string, unknown>>;
  /** The first argument: a file with the body. Options then give the values of the query. */
  readonly file?: string;
  /** Bodies that the first argument can choose by name. */
  readonly presets?: Presets;
  /** Columns of a list: paths into an item, with their heading. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Printed instead of an empty answer. */
  readonly done?: string;
  /** Whether the exit code is 0. Default: it is 0 unless the estate refuses. */
  readonly holds?: (output: ControlOutput<(typeof controlOperations)[Id]>) => boolean;
  /** Diagrams of the answer, by the value of `--diagram`. */
  readonly diagrams?: Readonly<Record<string, (output: ControlOutput<(typeof controlOperations)[Id]>) => string | Promise<string>>>;
  /** Formats the answer for a person. Default: a table for a list, a line for each member of an object. */
  readonly show?: (output: ControlOutput<(typeof controlOperations)[Id]>, look: Look) => string | Promise<string>;
}

/** Every operation has at least one command. */
export type OperationCommands = {
  readonly [Id in CalledId]: OperationCommand<Id> | readonly OperationCommand<Id>[];
};
