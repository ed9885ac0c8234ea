import { nameOf } from '../../shared/catalog/event-names.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { invalid } from '../../shared/catalog/problems.ts';

/** @throws Problem validation_failed when the catalog does not have the event */
export function requireKnownEvent(type: string, pointer: string): void {
  const name = nameOf(type);
  if (allEvents.some((event) => event.name === name)) return;
  throw invalid(pointer, 'unknown_event', `There is no event "${type}"; choose one of ${allEvents.map((event) => event.name).join(', ')}.`);
}

/** All events of one type have subjects of one type. @throws Problem validation_failed for a subject that the event never has */
export function requireSubjectOf(type: string, subject: string, pointer: string): void {
  const name = nameOf(type);
  const object = allEvents.find((one) => one.name === name)?.object;
  if (subject.startsWith(`${object}/`) && subject.length > `${object}/`.length) return;
  throw invalid(pointer, 'other_subject', `The subject of ${name} must be "${object}/<id>"; "${subject}" is not.`);
}

/** @param reference type and id of an object @throws Problem validation_failed for an unknown type */
export function requireObject(reference: string, pointer: string): void {
  const types = objects.map(({ type }) => type);
  if (types.some((type) => reference.startsWith(`${type}/`) && reference.length > `${type}/`.length)) return;
  throw invalid(
    pointer,
    'unknown_object',
    `"${reference}" is not an object, such as order/ord_…: give its type and its id. The types are ${types.join(', ')}.`,
  );
}
