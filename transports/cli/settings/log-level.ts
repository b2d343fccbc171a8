export const logLevels = ['silent', 'error', 'info', 'debug'] as const

/** `info` has a line for each request, `error` only those for failures, whose full messages need `debug`. */
export type LogLevel = (typeof logLevels)[number]
