import { native } from './native.mjs';

export const { Agent, request } = native('undici');
