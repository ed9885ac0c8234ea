/** Declarations by their id, in the sequence of the list. */
export const byId = <const Items extends readonly { readonly id: string }[]>(items: Items) =>
  Object.fromEntries(items.map((item) => [item.id, item])) as { readonly [Item in Items[number] as Item['id']]: Item };
