import type { ObjectDefinition } from '../../catalog/define-object.ts';
import { type EnvelopeInput, envelope } from '../../events/envelope.ts';
import type { Stored } from '../../store/collections.ts';
import type { PlannedEvent } from '../../store/ports/plan.ts';

type DraftParts = Pick<EnvelopeInput, 'application' | 'context' | 'causation' | 'hopId'>;

/** The events of the next commit, first emitted first. */
export class EventDrafts {
  readonly #parts: DraftParts;
  #drafts: PlannedEvent[] = [];

  constructor(parts: DraftParts) {
    this.#parts = parts;
  }

  /** @param type name without prefix */
  add(definition: ObjectDefinition, type: string, object: Stored, previousState: string | undefined): void {
    const { application, context, causation, hopId } = this.#parts;
    this.#drafts.push(envelope({ application, definition, type, object, previousState, context, causation, hopId }));
  }

  planned(): readonly PlannedEvent[] {
    return this.#drafts;
  }

  clear(): void {
    this.#drafts = [];
  }
}
