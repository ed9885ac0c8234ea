import type { StateKind } from '../../shared/catalog/state-kinds.ts';
import { type Output, shortTime } from '../data/data.ts';
import { shortId } from '../kit/kit.ts';
import type { Cell, TableColumn } from '../kit/table.tsx';
import { tables } from './catalog.ts';
import { kindOf } from './state-badge.tsx';

export type ListedObject = Output<'list-objects'>['items'][number];

/** An id that the estate has made. */
const ID = /^[a-z]{3}_[0-9A-Z]{26}$/;

/** A label or a column with names in place of ids and SKUs. */
const namedIn = (text: string, names: Readonly<Record<string, string>> = {}): string =>
  text
    .split(/(: |, )/)
    .map((part) => names[part] ?? (ID.test(part) ? shortId(part) : part))
    .join('');

/** The name of an object in its list. A basket is named after its total, which has its own column. */
export const nameCell = ({ id, label, names, columns }: ListedObject): Cell => ({
  text: namedIn(label === undefined || Object.values(columns).includes(label) ? id : label, names),
});

const AMOUNT = /^-?\d+(\.\d+)?(?= [A-Z]{3}$|$)/;

const cellOf = (name: string, kinds: Readonly<Record<string, StateKind>> | undefined, item: ListedObject): Cell | undefined => {
  const text = item.columns[name];
  if (text === undefined) return undefined;
  if (kinds) return { text, kind: kinds[text] };
  const figure = AMOUNT.exec(text)?.[0];
  if (figure !== undefined) return { text, sortsAs: Number(figure) };
  return { text: namedIn(text, item.names) };
};

const timeOf = (instant: string | undefined): Cell | undefined =>
  instant === undefined ? undefined : { text: shortTime(instant), sortsAs: Date.parse(instant) };

/** The columns of a list of objects: the columns of the trade, and when it was created. */
export function columnsOf(type: string): readonly TableColumn<ListedObject>[] {
  const { columns = [], progress = {} } = tables[type] ?? {};
  const when: TableColumn<ListedObject> = {
    name: 'when',
    kind: 'time',
    of: ({ createdAt }) => timeOf(createdAt),
  };
  const state: TableColumn<ListedObject> = {
    name: 'state',
    kind: 'state',
    of: (item) => (item.state === undefined ? undefined : { text: item.state, kind: kindOf(type, item.state) }),
    // Payment and goods show the state of an order in more detail.
    isFurther: progress['goods'] !== undefined,
  };
  return [
    ...(tables[type]?.hasStates ? [state] : []),
    ...columns.map(
      ({ name, kind, isFurther, isMain }): TableColumn<ListedObject> => ({
        name,
        kind,
        isFurther,
        isMain,
        of: (item) => (kind === 'time' ? timeOf(item.columns[name]) : cellOf(name, undefined, item)),
      }),
    ),
    ...Object.entries(progress).map(
      ([name, kinds]): TableColumn<ListedObject> => ({ name, kind: 'state', of: (item) => cellOf(name, kinds, item) }),
    ),
    when,
  ];
}
