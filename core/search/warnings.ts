/** Joins what there is to warn of, in order; `undefined` if there is nothing. */
export function joinedWarnings(...warnings: (string | undefined)[]): string | undefined {
  const given = warnings.filter(warning => warning !== undefined)
  return given.length === 0 ? undefined : given.join('; ')
}
