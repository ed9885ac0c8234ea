import { describe, expect, test } from '@jest/globals';
import { FaultInput, faultKinds } from '../../../shared/catalog/control/faults.ts';
import { faultRules } from '../../../ui/faults/catalog.ts';
import {
  FAULT_KINDS,
  type FaultForm,
  type FaultKind,
  type FaultTargetKind,
  faultRule,
  fieldsOf,
  ruleInWords,
} from '../../../ui/faults/fault-rule.ts';

const EMPTY: FaultForm = {
  ...{
    target: 'call',
    kind: 'outage',
    application: 'oms',
    api: '',
    caller: '',
    event: 'order-confirmed',
    subject: '',
    webhook: 'carrier',
    scan: '',
  },
  ...{ members: {}, times: '', skip: '', probability: '', seed: '' },
};
const every = (Object.entries(faultKinds) as [FaultTargetKind, readonly FaultKind[]][]).flatMap(([target, kinds]) =>
  kinds.map((kind) => ({ target, kind })),
);

test.each(every)('The form of a fault starts with a valid $kind of a $target', ({ target, kind }) =>
  expect(FaultInput.safeParse(faultRule({ ...EMPTY, target, kind })).error).toBeUndefined(),
);

test('The form of a fault sends its filled members and omits empty ones', () => {
  const form: FaultForm = {
    ...EMPTY,
    api: 'get-order-api',
    caller: 'outside',
    kind: 'latency',
    members: { ms: ' 250 ' },
    times: '3',
    skip: '2',
    probability: '0.5',
    seed: 'monday',
  };
  expect(faultRule(form)).toEqual({
    match: { application: 'oms', api: 'get-order-api', caller: 'outside' },
    fault: { kind: 'latency', ms: 250 },
    ...{ times: 3, skip: 2, probability: 0.5, seed: 'monday' },
  });
  expect(faultRule(EMPTY)).toEqual({ match: { application: 'oms' }, fault: { kind: 'outage' } });
});

test('The form of a fault sends text that is not a number unchanged, for the gateway to validate', () =>
  expect(faultRule({ ...EMPTY, kind: 'latency', members: { ms: 'soon' } }).fault).toEqual({ kind: 'latency', ms: 'soon' }));

test('The form of a fault sends only members of its target', () => {
  const typed = { ...EMPTY, application: 'oms', subject: 'order/ord_1', scan: 'delivered' };
  expect(faultRule({ ...typed, target: 'event', kind: 'withhold' }).match).toEqual({ event: 'order-confirmed', subject: 'order/ord_1' });
  expect(faultRule({ ...typed, target: 'webhook', kind: 'withhold' }).match).toEqual({ webhook: 'carrier', status: 'delivered' });
  expect(faultRule({ ...typed, target: 'webhook', webhook: 'shop', kind: 'withhold' }).match).toEqual({ webhook: 'shop' });
});

describe('The changes in the form of a fault', () => {
  const { kinds, changes } = faultRules;
  const fields = (form: Partial<FaultForm>) => {
    const filled = { ...EMPTY, ...form };
    return fieldsOf(filled, kinds[filled.target], changes);
  };
  const choices = (form: Partial<FaultForm>) => fields(form).members.flatMap((member) => (member.choices ?? []).map(([name]) => name));

  test('They are the changes that the target can have', () => {
    expect(choices({ kind: 'permitted', api: 'list-orders-api' })).toContain('smallest-page');
    expect(choices({ kind: 'permitted', api: 'get-order-api' })).not.toContain('smallest-page');
    expect(choices({ kind: 'forbidden', target: 'event' })).toEqual([
      'wrong-total',
      'wrong-minor-units',
      'previous-state',
      'missing-event',
    ]);
    expect(choices({ kind: 'forbidden', target: 'webhook', webhook: 'shop' })).toContain('broken-json');
  });

  test('A target without changes has neither of both kinds, and another kind takes their place', () => {
    const { kinds: offered, form } = fields({ kind: 'permitted', target: 'webhook', webhook: 'carrier' });
    expect(offered).not.toEqual(expect.arrayContaining(['permitted']));
    expect(form.kind).toBe('duplicate');
  });

  test('A chosen change that the target cannot have gives way to the first that it can have', () => {
    const members = { change: 'wrong-total' };
    const { form, effect } = fields({ kind: 'forbidden', application: 'crm', api: 'get-customer-api', members });
    expect(faultRule(form).fault).toEqual({ kind: 'forbidden', change: 'previous-state' });
    expect(effect).toContain('The object has a state that precedes its state');
    expect(faultRule(fields({ kind: 'forbidden', members }).form).fault).toEqual({ kind: 'forbidden', change: 'wrong-total' });
  });
});

test('The form of a fault has a text for every kind', () =>
  expect(Object.keys(FAULT_KINDS).sort()).toEqual([...new Set(Object.values(faultKinds).flat())].sort()));

test('The text of a rule has target, fault and number of strikes', () => {
  expect(ruleInWords({ match: { api: 'allocate-inventory-api' }, fault: { kind: 'status', status: 503 }, times: 1 })).toBe(
    'allocate-inventory-api · status, status 503 · once',
  );
  expect(ruleInWords({ match: { application: 'oms', caller: 'outside' }, fault: { kind: 'drop' }, times: 1, skip: 3 })).toBe(
    'oms called by clients · drop · after 3 · once',
  );
  expect(
    ruleInWords({ match: { event: 'order-confirmed', subject: 'order/ord_1' }, fault: { kind: 'withhold' }, times: 2, probability: 0.5 }),
  ).toBe('event order-confirmed order/ord_1 · withhold · 2 times · with probability 0.5');
});
