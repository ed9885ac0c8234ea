import { Problem } from './problems.ts';

/**
 * The most entries that requests from outside the estate may put into a list. An object is stored, published and journalled as a whole, so
 * its lists must be bounded. Entries that applications add follow from these entries, so they need no separate limit.
 */
export const LIMITS = {
  /** Lines of a basket, and so of an order. */
  lines: 200,
  /** Refunds of a payment. Beyond this limit, only a refund of all that is left of the payment or of a return is accepted. */
  refunds: 100,
  /** Disputes of a payment, one after the other. */
  disputes: 20,
  /** Payments of an order, declined ones included. */
  payments: 100,
  /** Tenders of a transaction at the till, declined ones included. */
  tenders: 100,
  /** Returns of an order, rejected ones included. */
  returns: 100,
  /** Replacements of an order, failed ones included. */
  replacements: 20,
  /** Changes of an order. */
  changes: 20,
} as const;

/** Locations that serve one order line together, if the retailer splits lines. */
export const MOST_LOCATIONS_PER_LINE = 5;

/** Promotions of a rehearsal, ended ones included. An evaluation reads all of them. */
export const MOST_PROMOTIONS = 1_000;

/** The newest refunds, which an order shows. A payment lists all its refunds. */
export const SHOWN_REFUNDS = 100;

/** The newest scans, which a parcel keeps. */
export const KEPT_SCANS = 100;

/** The newest moves of its clock, which a rehearsal keeps. */
export const KEPT_MOVES = 200;
/** The newest verdicts of `verify` that a world keeps. */
export const KEPT_VERDICTS = 100;
/** The newest changing operations of the control plane, which a rehearsal keeps. */
export const KEPT_OPERATIONS = 500;
/** The timers that the record of a move names. */
export const KEPT_TIMERS = 100;

/** 409 for a request that would add to a full list. @param sentence names the list and the limit @param remedy a sentence */
export const limitReached = (
  list: keyof typeof LIMITS,
  sentence: string,
  { remedy, ...about }: { readonly objectType: string; readonly id: string; readonly remedy: string },
): Problem => new Problem('limit_reached', `${sentence} ${remedy}`, { ...about, list, limit: LIMITS[list] });

/** The earliest start of a clock. The initial data goes back a few years, and ids contain a time after 1970. */
export const EARLIEST_START = Date.UTC(2000, 0, 1);
/** RFC 3339 has years of four digits, and a timer may be set for a year ahead of the clock. */
export const LATEST_CLOCK = Date.UTC(9999, 0, 1);
/** The latest instant of due work. */
export const LATEST_TIMER = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
