/** Joins warnings, in order; `undefined` if there are none. */
export function joinedWarnings(...warnings: (string | undefined)[]): string | undefined {
  const given = warnings.filter(warning => warning !== undefined)
  return given.length === 0 ? undefined : given.join('; ')
}
