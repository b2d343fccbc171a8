import { partitionPoint } from '../bytes/binary-search.ts'

/** A block is split in two when it has more names than this: it bounds what one insertion moves. */
const MOST_IN_BLOCK = 512

/** A set of strings in ascending order of their UTF-16 units. Insertion and deletion take logarithmic time. */
export class SortedNames {
  /** The names in order, in blocks that are not empty. */
  readonly #blocks: string[][] = []

  /** Adds a name that is not in the set. */
  add(name: string): void {
    if (this.#blocks.length === 0) this.#blocks.push([])
    const place = Math.max(0, firstAfter(this.#blocks, name, firstOf) - 1)
    const block = this.#blocks[place]!
    block.splice(firstAfter(block, name, itself), 0, name)
    if (block.length > MOST_IN_BLOCK) this.#blocks.splice(place + 1, 0, block.splice(MOST_IN_BLOCK / 2))
  }

  /** Deletes a name that is in the set. */
  delete(name: string): void {
    const place = firstAfter(this.#blocks, name, firstOf) - 1
    const block = this.#blocks[place]!
    block.splice(firstAfter(block, name, itself) - 1, 1)
    if (block.length === 0) this.#blocks.splice(place, 1)
  }

  clear(): void {
    this.#blocks.length = 0
  }

  /** Returns the names from `from` (included) to `to` (excluded). */
  between(from: string, to: string): string[] {
    const found: string[] = []
    for (let place = Math.max(0, firstAfter(this.#blocks, from, firstOf) - 1); place < this.#blocks.length; place++) {
      const block = this.#blocks[place]!
      if (block[0]! >= to) break
      for (const name of block) if (name >= from && name < to) found.push(name)
    }
    return found
  }
}

const firstOf = (block: readonly string[]): string => block[0]!
const itself = (name: string): string => name

/** Returns the index of the first item whose name is after `name`. */
function firstAfter<T>(items: readonly T[], name: string, nameOf: (item: T) => string): number {
  return partitionPoint(items.length, index => nameOf(items[index]!) <= name)
}
