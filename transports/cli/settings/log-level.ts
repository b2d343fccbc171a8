export const logLevels = ['silent', 'error', 'info', 'debug'] as const

/** `info` logs every request, `error` only failures, `debug` also their full messages. */
export type LogLevel = (typeof logLevels)[number]
