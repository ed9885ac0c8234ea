import { native } from './native.mjs';

export const { createProxyMiddleware } = native('http-proxy-middleware');
