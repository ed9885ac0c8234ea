/** The name of an event without its prefix: `order-confirmed`, `ext.order-changed`. */
export const eventName = ({ type }: Readonly<Record<string, unknown>>): string => String(type).replace(/^com\.unified-commerce\./, '');

/** Additional events are not in the source document. */
export const isAdditional = (name: string): boolean => name.startsWith('ext.');
