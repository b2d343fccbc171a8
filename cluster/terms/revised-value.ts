/** Prefix of the term of a revision's publish date. No term of a field begins with it. */
export const PUBLISHED = '@published='

/** Returns the prefix of the values of a revision. @param number - of the revision, from 1 on; 0 for the capture itself. */
export function ofRevision(number: number): string {
  return `${number}|`
}
