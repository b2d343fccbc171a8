import { physicalEntries } from './physical-entries.ts'

/** Keys that have different values in a LevelDB folder, deleted and overwritten ones that are still there included. */
export async function secondValues(location: string, isAsked: (key: Uint8Array) => boolean): Promise<string[]> {
  const values = new Map<string, Uint8Array>()
  const found = new Set<string>()
  for await (const { key, value } of physicalEntries(location)) {
    if (!value || !isAsked(key)) continue
    const name = Buffer.from(key).toString('hex')
    const other = values.get(name)
    if (other && Buffer.compare(other, value) !== 0) found.add(name)
    values.set(name, value)
  }
  return [...found]
}
