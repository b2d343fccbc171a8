/**
 * True for an error of any realm. Jest and `node:vm` run programs with an `Error` of their own, so `instanceof` is false
 * for what the modules of Node.js throw there.
 */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || /^\[object (?:Error|DOMException)\]$/.test(Object.prototype.toString.call(thrown))
}

/** Returns the code of an error of Node.js, a library or asof, such as `ENOENT`. Undefined if the thrown value has no code. */
export function codeOf(thrown: unknown): string | undefined {
  return isError(thrown) && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
}

/** True for the error of a path that does not exist. ENOTDIR means that the path has a file in the place of a folder. */
export function isAbsence(thrown: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(thrown) ?? '')
}

/** Returns the message of an error. Converts anything else that was thrown to a string. */
export function messageOf(thrown: unknown): string {
  return isError(thrown) ? thrown.message : String(thrown)
}

/** Returns the cause of an error. Undefined if the thrown value is not an error or has no cause. */
export function causeOf(thrown: unknown): unknown {
  return isError(thrown) ? thrown.cause : undefined
}
