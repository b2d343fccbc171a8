export type { KeylessLimits } from '../access/index.ts'
export { createServer, listen } from './server.ts'
export type { HttpSettings } from './settings.ts'
