import type { PartPlace } from '../../../service/data-folder/index.ts'

/** A data folder without a database and accounts, as a part of it sees it. */
export function placeIn(dir: string, onNotice: (line: string) => void = () => {}): PartPlace {
  const access = () => Promise.reject(new Error('the accounts are not needed'))
  return { dir, database: undefined, access, now: Date.now, onNotice }
}
