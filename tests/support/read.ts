type MembersOf<T> = T extends unknown ? keyof T : never;
type MemberOf<T, K extends PropertyKey> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;

/** Element access that fails the test when the element is missing. */
type ReadList<T> = T[] & { readonly [index in 0 | 1 | 2 | 3]: T };

/** An answer as a test reads it: with every member that any of its variants may have. A missing one fails the test. */
export type Read<T> = [T] extends [string | number | boolean | null | undefined]
  ? T
  : [NonNullable<T>] extends [readonly (infer Element)[]]
    ? ReadList<Read<Element>>
    : { [K in MembersOf<NonNullable<T>>]: Read<Exclude<MemberOf<NonNullable<T>, K>, undefined>> };
