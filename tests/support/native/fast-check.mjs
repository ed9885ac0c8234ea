import { native } from './native.ts';

export default native('fast-check').default;
