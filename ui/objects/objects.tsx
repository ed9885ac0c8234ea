import type { PageProps } from '../kit/kit.ts';
import { Stock } from '../stock/stock.tsx';
import { ObjectPage } from './object.tsx';
import { ObjectList } from './object-list.tsx';
import { ObjectTypes } from './object-types.tsx';

/** The business objects of a rehearsal: their types, the objects of a type, or one object. */
export function Objects({ rehearsal, rest: [type, id], query }: PageProps) {
  if (type === undefined) return <ObjectTypes />;
  // An inventory item has counters only, and the page of the stock lists them.
  if (type === 'inventory-item' && id === undefined) return <Stock rehearsal={rehearsal} rest={[]} query={query} />;
  if (id === undefined) return <ObjectList key={type} type={type} query={query} />;
  return <ObjectPage key={`${type}/${id}`} type={type} id={id} />;
}
