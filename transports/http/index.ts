export { createServer, listen } from './server.ts'
export type { HttpSettings, KeylessLimits } from './settings.ts'
