import { allEvents } from '../../shared/catalog/events.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { durationMs, lengthInWords } from '../../shared/domain/duration.ts';
import { callCode, listCode, objectCode, quoted } from './code.ts';
import { advancedBy, type ExpectedEvent, type Part, type PlannedEvent } from './plan.ts';
import type { OperationRecord } from './record-operation.ts';
import { isRecord, type Source } from './references.ts';
import { put, type StoryValues } from './story-values.ts';

/** Writes the statements that repeat operations of the control plane, and wait for events. */
export function createOperationStatements({ nameFor, codeOf, textCode, referenceCode, bind, hoist }: StoryValues) {
  function operation(record: OperationRecord, { params, body, events }: Extract<Part, { is: 'operation' }>): readonly string[] {
    const param = (name: string): string => {
      const value = params[name];
      return value?.is === 'reference' ? referenceCode(value.reference, true) : String(value ? codeOf(value) : "''");
    };
    const sent = isRecord(record.body) ? record.body : {};
    const bodyCode = codeOf(body);
    const own = ((): string | undefined => {
      switch (record.id) {
        case 'advance-clock':
          return callCode('stage.advance', quoted(durationText(record)));
        case 'put-fault':
          return callCode('stage.fault', param('name'), bodyCode);
        case 'delete-fault':
          return callCode('stage.noFaults', param('name'));
        case 'delete-faults':
          return callCode('stage.noFaults');
        case 'play-scan':
          return Object.keys(sent).length === 0 ? callCode('stage.scan', param('id'), param('scan')) : undefined;
        case 'open-dispute':
          return callCode('stage.dispute', param('id'), bodyCode);
        case 'close-dispute':
          return callCode('stage.decideDispute', param('id'), quoted(String(sent['outcome'])));
        case 'complete-payment-action-by-hand':
          return callCode('stage.authenticate', param('id'), quoted(String(sent['outcome'])));
        default:
          return undefined;
      }
    })();
    const sections = objectCode([
      ['params', Object.keys(params).length > 0 ? objectCode(Object.keys(params).map((name) => [name, param(name)])) : undefined],
      ['body', Object.keys(sent).length > 0 ? bodyCode : undefined],
    ]);
    return [put('await ', own ?? callCode('stage.control', quoted(record.id), sections)), ...sequence(record, events)];
  }

  function sequence(record: OperationRecord, events: readonly ExpectedEvent[]): readonly string[] {
    if (events.length === 0) return [];
    const steps = events.map(({ name, subject }) =>
      objectCode([
        ['what', quoted('event')],
        ['name', quoted(name)],
        ['subject', subject && textCode(subject)],
      ]),
    );
    const title = record.id === 'advance-clock' ? `what happens within ${lengthInWords(durationMs(durationText(record)))}` : 'what follows';
    return [put('await ', callCode('stage.expectSequence', quoted(title), listCode(steps)))];
  }

  function event({ order, name, place, object }: PlannedEvent): readonly string[] {
    const type = allEvents.find((one) => one.name === name)?.object ?? 'object';
    const variable = nameFor(type.replaceAll('-', ' '));
    const schema = objects.find((one) => one.type === type)?.schema;
    const source: Source = { is: 'event', order };
    if (schema) bind(source, { name: variable, before: [], schema, value: object });
    const given = place === undefined ? [quoted(name)] : [quoted(name), String(place)];
    return [put(`const ${variable} = await `, callCode('stage.event', ...given)), ...hoist(source)];
  }

  return { operation, event };
}

/** The duration that the client wrote. For an instant: the days, hours, minutes and seconds until then. */
function durationText(record: OperationRecord): string {
  if (isRecord(record.body) && typeof record.body['by'] === 'string') return record.body['by'];
  const seconds = Math.ceil(advancedBy(record) / 1_000);
  const units = [
    [Math.floor(seconds / 86_400), 'D'],
    [Math.floor((seconds % 86_400) / 3_600), 'H'],
    [Math.floor((seconds % 3_600) / 60), 'M'],
    [seconds % 60, 'S'],
  ] as const;
  const [days = '', ...times] = units.map(([count, unit]) => (count > 0 ? `${count}${unit}` : ''));
  const time = times.join('');
  return days === '' && time === '' ? 'PT0S' : `P${days}${time === '' ? '' : `T${time}`}`;
}
