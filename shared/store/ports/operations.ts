import type { World } from '../../domain/world.ts';

/** A record of an operation of the control plane. Operations are numbered from 1 in each world. */
export interface RecordedOperation {
  readonly number: number;
  readonly json: string;
}

/** The changes that people and clients made to a world by operations of the control plane. */
export interface OperationLog {
  /** Records an operation; the newest `KEPT_OPERATIONS` stay. */
  addOperation(world: World, json: string): Promise<void>;
  /** Oldest first. */
  operationsOf(world: World): Promise<readonly RecordedOperation[]>;
}
