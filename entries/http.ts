/** `asof/http`: serves the calls of the API, the console and administration over HTTP. */
export {
  type AnsweredRequest,
  createServer,
  type DialectName,
  type Doctor,
  type DoctorReport,
  type HttpSettings,
  type KeylessLimits,
  listen,
  type McpSettings,
  type MeasuredCluster,
  shutDown,
  type UnreadLimits,
} from '../transports/http/index.ts'
