import { termInterner } from '../text/terms/term-interner.ts'

let owners = 0
/** Two numbers for each term of the term table: the translation that last gave the term an id, and that id. */
let entries = new Int32Array(2048)

/**
 * Translates ids of the thread's term table to the ids of one group. All translations of a thread share one table, so
 * only one can be in use at a time.
 */
export class TermTranslation {
  #owner = 0
  #generation = -1

  /**
   * To be called before each text. Returns true if the group's terms must be entered again, because another group used
   * the shared table or the term table was emptied.
   */
  begin(): boolean {
    this.#makeRoom()
    if (this.#owner === owners && this.#generation === termInterner.generation) return false
    this.#generation = termInterner.generation
    this.#owner = ++owners
    return true
  }

  /** Returns the group's id of a term; −1 if the group does not have the term. */
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
