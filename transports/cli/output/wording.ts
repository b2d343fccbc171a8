/** Returns a number with its noun: `1 capture`, `2 captures`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Returns a word for a command line, in quotes if the shell would change it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Advice for the user when an address was refused (ASOF_ADDRESS_REFUSED). */
export const privateHint =
  'To fetch loopback and private addresses, use --allow-private. If a server holds the data folder, start the server with it.'
