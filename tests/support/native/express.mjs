import { native } from './native.ts';

const express = native('express');
export default express;
export const { Router } = express;
