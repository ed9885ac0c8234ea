import './objects.css';
import { h } from 'preact';
import type { PageProps } from '../shell/page.ts';
import { ObjectPage } from './object.ts';
import { ObjectList } from './object-list.ts';
import { ObjectTypes } from './object-types.ts';

/** The business objects of a rehearsal: their types, the objects of a type, or one object. */
export function Objects({ rehearsal, rest: [type, id], query }: PageProps) {
  if (type === undefined) return h(ObjectTypes, { rehearsal });
  if (id === undefined) return h(ObjectList, { key: type, rehearsal, type, query });
  return h(ObjectPage, { key: `${type}/${id}`, rehearsal, type, id });
}
