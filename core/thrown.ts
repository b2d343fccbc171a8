/**
 * True for an error of any realm. Jest and `node:vm` run programs with an `Error` of their own, so `instanceof` is false
 * for what the modules of Node.js throw there.
 */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || /^\[object (?:Error|DOMException)\]$/.test(Object.prototype.toString.call(thrown))
}

/** Returns the code of an error of Node.js, a library or asof, such as `ENOENT`. Undefined if it has none. */
export function codeOf(thrown: unknown): string | undefined {
  return isError(thrown) && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
}

/** Returns the message of an error, and of anything else that was thrown its text. */
export function messageOf(thrown: unknown): string {
  return isError(thrown) ? thrown.message : String(thrown)
}

/** Returns what an error was caused by. Undefined if it is no error or names no cause. */
export function causeOf(thrown: unknown): unknown {
  return isError(thrown) ? thrown.cause : undefined
}
