/** This Redis is not usable: unreachable, too old, or configured so that data would be lost. The message has the remedy. */
export class RedisRefused extends Error {
  override readonly name = 'RedisRefused';
}

/** An error reply to a command. Nothing was done. */
export interface Refusal {
  /** The cause and the remedy, for people. */
  readonly sentence: string;
  /**
   * When another attempt may succeed. `soon`: within the request. `later`: after a person has corrected the cause. `never`: the address or
   * the user is wrong.
   */
  readonly passes: 'soon' | 'later' | 'never';
}

type Reply = readonly [pattern: RegExp, passes: Refusal['passes'], words: (message: string) => string];

const REPLIES: readonly Reply[] = [
  [/^WRONGPASS/, 'never', () => 'refuses the user name or password of its address.'],
  [/^NOAUTH/, 'never', () => 'requires a password: set REDIS_PASSWORD_FILE, or add it to its address.'],
  [
    /^NOPERM/,
    'never',
    (message) =>
      `does not let its user do this: the user lacks a permission (${message}). Give it the rule of docs/reference/variables.md.`,
  ],
  [/cluster support disabled/, 'never', () => 'is not a cluster: give a single address.'],
  [/DB index is out of range/, 'never', (message) => `does not have this database (${message}).`],
  [/^MISCONF/, 'later', () => 'takes no writes, because it cannot save its data. Free space on its disk; its log has the reason.'],
  [
    /^NOREPLICAS/,
    'later',
    () => 'takes no writes, because it lacks replicas. Start its replicas, or lower min-replicas-to-write in its configuration.',
  ],
  [/^READONLY/, 'soon', () => 'takes no writes, because it is a replica. Give the address of its primary.'],
  [/^MASTERDOWN/, 'soon', () => 'is a replica that has lost its primary. Start the primary, or give the address of its primary.'],
  [/^LOADING/, 'soon', () => 'still reads its data from the disk. Wait until it has finished.'],
  [/^CLUSTERDOWN/, 'soon', () => 'is a cluster that lacks a part of the data, because no node has it. Start the missing nodes.'],
  [/^(BUSY|UNKILLABLE) /, 'soon', () => 'runs a long script of another client. Wait until it ends, or stop it with SCRIPT KILL.'],
];

/** @returns undefined for any other error */
export function refusalIn({ message }: Error, redis: string): Refusal | undefined {
  const reply = REPLIES.find(([pattern]) => pattern.test(message));
  return reply && { sentence: `${redis} ${reply[2](message)}`, passes: reply[1] };
}

/** The refusal for an error that persists until the configuration changes; undefined for any other error. */
export function refusedFor(error: Error, where: string): RedisRefused | undefined {
  const refusal = refusalIn(error, `The Redis at ${where}`);
  return refusal?.passes === 'never' ? new RedisRefused(refusal.sentence) : undefined;
}
