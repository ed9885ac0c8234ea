import { Agent, createServer } from 'node:http';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { serve } from './ready.ts';

/** http-proxy-middleware as its README shows it, with connections that are kept. The one argument is where it leads. */
const target = process.argv[2] ?? '';
const app = express();
app.use(createProxyMiddleware({ target, agent: new Agent({ keepAlive: true }) }));
serve(createServer(app));
