/** The prefix of the value that is the publish date of a revision. No field has it. */
export const PUBLISHED = '@published='

/** What the values of a revision begin with. @param number - from 1 on; 0 for the capture itself. */
export function ofRevision(number: number): string {
  return `${number}|`
}
