export const TYPE_PREFIX = 'com.unified-commerce.';

/** Of an event on the bus: structured mode. */
export const EVENT_CONTENT_TYPE = 'application/cloudevents+json; charset=UTF-8';

/** The additional event of an object for changes that the source document gives no event. */
export const extensionEvent = (object: string): string => `ext.${object}-changed`;

/** The event's name without the prefix: `payment-authorized`, `ext.payment-changed`. */
export const nameOf = (type: string): string => (type.startsWith(TYPE_PREFIX) ? type.slice(TYPE_PREFIX.length) : type);
