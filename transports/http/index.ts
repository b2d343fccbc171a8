export type { KeylessLimits } from '../access/index.ts'
export type { AnsweredRequest } from './answered-request.ts'
export { createServer, listen, shutDown } from './server.ts'
export type { HttpSettings } from './settings.ts'
