import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import type { CalledId, controlOperations } from '../../shared/catalog/control/operations.ts';
import type { Look } from '../output/look.ts';
import type { ValueHints } from './member-option.ts';
import type { Presets } from './presets.ts';

/** How an operation is asked on the command line. Arguments, options and help follow from the operation itself. */
export interface OperationCommand<Id extends CalledId = CalledId> extends ValueHints {
  /** Its noun, and mostly a verb. Operations with the same words are told apart by the number of their arguments. */
  readonly words: string;
  /** What follows the name of the program in an example, or in several. */
  readonly example: string | readonly string[];
  /** Replaces the summary of the operation. */
  readonly summary?: string;
  /** Values of query and body that are arguments, in order; `rehearsal` is the name of the rehearsal. */
  readonly positional?: readonly string[];
  /** What an argument is, where its schema does not say it. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** Values of the body that the words already say. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Values that are sent unless an option gives them. */
  readonly unlessGiven?: Readonly<Record<string, unknown>>;
  /** Ready bodies that the first argument can choose. */
  readonly presets?: Presets;
  /** Columns of a list: paths into an item, with their heading. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Printed instead of an empty answer. */
  readonly done?: string;
  /** Whether the exit code is 0. By default it is whenever the estate does not refuse. */
  readonly holds?: (output: ControlOutput<(typeof controlOperations)[Id]>) => boolean;
  /** What else the answer can become: each is a value of `--diagram`. */
  readonly diagrams?: Readonly<Record<string, (output: ControlOutput<(typeof controlOperations)[Id]>) => string | Promise<string>>>;
  /** Shows the answer to a person. By default, a list is a table, and an object a line for each member. */
  readonly show?: (output: ControlOutput<(typeof controlOperations)[Id]>, look: Look) => string;
}

/** Every operation has at least one command. */
export type OperationCommands = {
  readonly [Id in CalledId]: OperationCommand<Id> | readonly OperationCommand<Id>[];
};
