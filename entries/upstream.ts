/** `asof/upstream`: answers the charged calls by way of another server. */
export { UpstreamFailure, type UpstreamSettings, upstreamService } from '../transports/upstream/index.ts'
