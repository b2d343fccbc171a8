import { partitionPoint } from '../bytes/binary-search.ts'

/** A stored value and its key, as a string that sorts as the bytes of the key do. */
export interface StoredEntry {
  readonly name: string
  readonly stored: Uint8Array
}

/** A block with more entries is split in two. It bounds what a change copies. */
const MAX_IN_BLOCK = 512

/**
 * An immutable list of entries in the order of their names. A change returns a new list, which shares all blocks but one, so a reader
 * can continue with the old one. Reads and changes take logarithmic time.
 */
export class SortedEntries {
  /** Blocks that are not empty. */
  readonly #blocks: readonly (readonly StoredEntry[])[]

  constructor(blocks: readonly (readonly StoredEntry[])[] = []) {
    this.#blocks = blocks
  }

  get(name: string): StoredEntry | undefined {
    const block = this.#blocks[this.#placeOf(name)]
    const entry = block?.[firstFrom(block, name)]
    return entry?.name === name ? entry : undefined
  }

  /** Returns a list with this entry, in place of any with its name. */
  with(entry: StoredEntry): SortedEntries {
    const place = Math.max(0, this.#placeOf(entry.name))
    const block = this.#blocks[place] ?? []
    const at = firstFrom(block, entry.name)
    const changed = block.toSpliced(at, block[at]?.name === entry.name ? 1 : 0, entry)
    const isLong = changed.length > MAX_IN_BLOCK
    const halves = isLong ? [changed.slice(0, MAX_IN_BLOCK / 2), changed.slice(MAX_IN_BLOCK / 2)] : [changed]
    return new SortedEntries(this.#blocks.toSpliced(place, 1, ...halves))
  }

  /** Returns a list without the entry of this name. */
  without(name: string): SortedEntries {
    if (!this.get(name)) return this
    const place = this.#placeOf(name)
    const block = this.#blocks[place]!
    const left = block.toSpliced(firstFrom(block, name), 1)
    return new SortedEntries(left.length > 0 ? this.#blocks.with(place, left) : this.#blocks.toSpliced(place, 1))
  }

  /** Yields the entries from `from` (included) to `to` (excluded). */
  *between(from: string, to: string): Generator<StoredEntry, void, void> {
    for (let place = Math.max(0, this.#placeOf(from)); place < this.#blocks.length; place++) {
      const block = this.#blocks[place]!
      for (let at = firstFrom(block, from); at < block.length; at++) {
        const entry = block[at]!
        if (entry.name >= to) return
        yield entry
      }
    }
  }

  /** Returns the place of the block where a name belongs; −1 if it is before all blocks. */
  #placeOf(name: string): number {
    return partitionPoint(this.#blocks.length, place => this.#blocks[place]![0]!.name <= name) - 1
  }
}

/** Returns the index of the first entry with this name or a later one. */
function firstFrom(block: readonly StoredEntry[], name: string): number {
  return partitionPoint(block.length, at => block[at]!.name < name)
}
