import { native } from './native.ts';

export const { GenericContainer, getContainerRuntimeClient, Wait } = native('testcontainers');
