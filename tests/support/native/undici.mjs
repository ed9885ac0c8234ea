import { native } from './native.ts';

export const { Agent, request } = native('undici');
