import { base64, leastPages } from './group-sorter.generated.ts'
import { instantiateKernel } from './load-kernel.ts'

/** The postings of a group in the order in which they were made: capture by capture. */
export interface UnorderedPostings {
  /** The UTF-8 bytes of the distinct terms, one after another, and the end of each. */
  terms: Uint8Array
  termEnds: Uint32Array
  /** Per posting: its term, its capture, and the end of its bytes. */
  termIds: Uint32Array
  captureIndexes: Uint32Array
  ends: Uint32Array
  /** The bytes of the postings, one after another. */
  postings: Uint8Array
}

/** The postings of a group, ordered by term, then by capture. A posting is one term of one capture. */
export interface PostingsByTerm {
  /** UTF-8 bytes of the distinct terms, in ascending order, one after another. */
  terms: Uint8Array<ArrayBuffer>
  /** Per term: the end of its bytes. They begin where those of the previous term end. */
  termEnds: Uint32Array<ArrayBuffer>
  /**
   * Per posting: varint number of captures between its own and that of the term's previous posting (or the group's start),
   * varint weighted frequency − 1, varint number of bytes of positions, then these bytes, with the next-word signature first.
   */
  postings: Uint8Array<ArrayBuffer>
  /** Per term: the end of its postings, in bytes. */
  postingEnds: Uint32Array<ArrayBuffer>
}

/** The exports of `group-sorter.c`. Those without parameters return an address or a limit. */
interface SorterExports
  extends Record<
    | 'termBytes'
    | 'sortedTerms'
    | 'termEnds'
    | 'sortedTermEnds'
    | 'termIds'
    | 'captures'
    | 'ends'
    | 'bytes'
    | 'sortedBytes'
    | 'postingEnds'
    | 'maxTerms'
    | 'maxTermBytes'
    | 'maxPostings'
    | 'maxBytes',
    () => number
  > {
  sort(terms: number, postings: number): number
}

/** Orders the postings of groups in WebAssembly. */
export class GroupSorter {
  readonly #exports: SorterExports
  readonly #memory: ArrayBuffer

  constructor(exports: SorterExports, memory: ArrayBuffer) {
    this.#exports = exports
    this.#memory = memory
  }

  /** Returns undefined if the group does not fit into the kernel's memory, or if a term has thousands of bytes or ends with a zero byte. */
  sort({ terms, termEnds, termIds, captureIndexes, ends, postings }: UnorderedPostings): PostingsByTerm | undefined {
    const kernel = this.#exports
    const memory = this.#memory
    const count = termEnds.length
    if (count > kernel.maxTerms() || terms.length > kernel.maxTermBytes()) return undefined
    if (termIds.length > kernel.maxPostings() || postings.length > kernel.maxBytes()) return undefined
    new Uint8Array(memory, kernel.termBytes()).set(terms)
    new Uint32Array(memory, kernel.termEnds()).set(termEnds)
    new Uint32Array(memory, kernel.termIds()).set(termIds)
    new Uint32Array(memory, kernel.captures()).set(captureIndexes)
    new Uint32Array(memory, kernel.ends()).set(ends)
    new Uint8Array(memory, kernel.bytes()).set(postings)
    const bytes = kernel.sort(count, termIds.length)
    if (bytes < 0) return undefined
    return {
      terms: new Uint8Array(memory, kernel.sortedTerms(), terms.length).slice(),
      termEnds: new Uint32Array(memory, kernel.sortedTermEnds(), count).slice(),
      postings: new Uint8Array(memory, kernel.sortedBytes(), bytes).slice(),
      postingEnds: new Uint32Array(memory, kernel.postingEnds(), count).slice(),
    }
  }
}

/** The sorter of the thread; null where it cannot be instantiated. */
let sorter: GroupSorter | null | undefined

export function groupSorter(): GroupSorter | null {
  if (sorter === undefined) {
    const kernel = instantiateKernel(base64, leastPages)
    sorter = kernel ? new GroupSorter(kernel.exports as SorterExports, kernel.memory) : null
  }
  return sorter
}
