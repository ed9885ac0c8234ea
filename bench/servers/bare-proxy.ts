import { Agent, createServer } from 'node:http';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { serve } from './ready.ts';

/** http-proxy-middleware as in its README, with keep-alive connections. Argument: the target address. */
const target = process.argv[2] ?? '';
const app = express();
app.use(createProxyMiddleware({ target, agent: new Agent({ keepAlive: true }) }));
serve(createServer(app));
