import { Problem } from '../catalog/problems.ts';

/** Whether an operation failed because the store is not there. The store says so itself, once for all who use it. */
export const isStoreAway = (error: unknown): boolean => error instanceof Problem && error.context['dependency'] === 'store';
