import { termInterner } from '../text/terms/term-interner.ts'

let owners = 0
/** Per term of the term table: the last translation that had an id for it, and that id. */
let entries = new Int32Array(2048)

/** Translates ids of the term table to a group's own ids. One group at a time can use it. */
export class TermTranslation {
  #owner = 0
  #generation = -1

  /** To be called before each text. Returns true if the translation was lost, because another group used it or the term table was emptied. */
  begin(): boolean {
    this.#makeRoom()
    if (this.#owner === owners && this.#generation === termInterner.generation) return false
    this.#generation = termInterner.generation
    this.#owner = ++owners
    return true
  }

  /** Returns the id in the group, or −1 if the group does not have the term. */
  get(id: number): number {
    return entries[2 * id] === this.#owner ? entries[2 * id + 1]! : -1
  }

  set(id: number, own: number): void {
    if (2 * id >= entries.length) this.#makeRoom()
    entries[2 * id] = this.#owner
    entries[2 * id + 1] = own
  }

  #makeRoom(): void {
    const needed = 2 * termInterner.count
    if (entries.length < needed) entries = enlarged(entries, Math.max(needed, entries.length * 2))
  }
}

function enlarged(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(length)
  grown.set(array)
  return grown
}
