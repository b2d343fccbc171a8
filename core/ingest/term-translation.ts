import { termTable } from '../text/terms/term-interner.ts'

let owners = 0
/** Per term of the table: the owner that last had an id for it, and that id. */
let entries = new Int32Array(2048)

/** From ids of the term table to a group's own. One group at a time has them. */
export class TermTranslation {
  #owner = 0
  #generation = -1

  /** To be called before each text. True when nothing is known of the terms met before. */
  begin(): boolean {
    this.#makeRoom()
    if (this.#owner === owners && this.#generation === termTable.generation) return false
    this.#generation = termTable.generation
    this.#owner = ++owners
    return true
  }

  /** The group's id, or −1 when it is not known here. */
  get(id: number): number {
    return entries[2 * id] === this.#owner ? entries[2 * id + 1] : -1
  }

  set(id: number, own: number): void {
    if (2 * id >= entries.length) this.#makeRoom()
    entries[2 * id] = this.#owner
    entries[2 * id + 1] = own
  }

  #makeRoom(): void {
    const needed = 2 * termTable.count
    if (entries.length < needed) entries = enlarged(entries, Math.max(needed, entries.length * 2))
  }
}

export function enlarged(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(length)
  grown.set(array)
  return grown
}
