/** This Redis is not usable: unreachable, too old, or configured so that data would be lost. The message has the remedy. */
export class RedisRefused extends Error {
  override readonly name = 'RedisRefused';
}

/** The refusal for an error that does not pass by itself; undefined for any other error. */
export function refusedFor({ message }: Error, where: string): RedisRefused | undefined {
  if (/^WRONGPASS/.test(message)) return new RedisRefused(`The Redis at ${where} refuses the user name or password of its address.`);
  if (/^NOAUTH/.test(message)) return new RedisRefused(`The Redis at ${where} requires a password: add it to its address.`);
  if (/^NOPERM/.test(message)) return new RedisRefused(`The user of the Redis at ${where} lacks a permission (${message}).`);
  if (/cluster support disabled/.test(message)) return new RedisRefused(`The Redis at ${where} is not a cluster: give a single address.`);
  if (/DB index is out of range/.test(message)) return new RedisRefused(`The Redis at ${where} does not have this database (${message}).`);
  return undefined;
}
