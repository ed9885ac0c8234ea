export const TYPE_PREFIX = 'com.unified-commerce.';

/** The source of an event: the application that owns its object. */
export const sourceOf = (application: string): string => `urn:uc:app:${application}`;

/** Content type of an event on the bus: CloudEvents in structured mode. */
export const EVENT_CONTENT_TYPE = 'application/cloudevents+json; charset=UTF-8';

/** The additional event of an object, for changes without an event in the source document. */
export const extensionEvent = (object: string): string => `ext.${object}-changed`;

/** The name of an event type without the prefix: `payment-authorized`, `ext.payment-changed`. */
export const nameOf = (type: string): string => (type.startsWith(TYPE_PREFIX) ? type.slice(TYPE_PREFIX.length) : type);

/** In a list of event names: all additional events. */
export const EXTENSIONS = 'ext.*';
/** In a list of event names: all events. */
export const EVERY_EVENT = '*';
