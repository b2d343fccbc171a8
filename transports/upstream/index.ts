export { UpstreamFailure } from './upstream-failure.ts'
export { type UpstreamSettings, upstreamService } from './upstream-service.ts'
