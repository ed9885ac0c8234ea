/** Wall time, in the zone of the browser. */
export const wallInstant = (instant: string): string =>
  new Date(instant).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

export const useOf = ({ lastUsedAt, endsAt }: { readonly lastUsedAt: string; readonly endsAt?: string | undefined }): string =>
  `used ${wallInstant(lastUsedAt)}, ${endsAt === undefined ? 'kept until it is deleted' : `ends ${wallInstant(endsAt)} unless used`}`;
