/** A number with its noun: `1 capture`, `2 captures`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A word of a command to copy, in quotes if the shell would change it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Advice for the user when an address was refused (ASOF_ADDRESS_REFUSED). */
export const privateHint =
  'To fetch loopback and private addresses, use --allow-private. If a server holds the data folder, start the server with it.'
