/** `asof`: the engine, as `@asof/core` gives it. Crawler, service and transports have entries of their own. */
export * from '@asof/core'
