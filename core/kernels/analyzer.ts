import { randomFillSync } from 'node:crypto'
import { rankingModel } from '../segment/ranking-model.ts'
import { unitClasses } from '../text/characters/char-table.ts'
import { termInterner, type WordNumber } from '../text/terms/term-interner.ts'
import { scanOther, TokenBuffer, unitsOfRun } from '../text/terms/tokens.ts'
import { foldToTerm } from '../text/terms/word-term.ts'
import { base64, leastPages } from './analyzer.generated.ts'
import { instantiateKernel } from './load-kernel.ts'
import { type PageAnalyzer, type PageParts, type PagePostings, PlainAnalyzer } from './plain-analyzer.ts'
import { TermTraits } from './term-traits.ts'

/** The exports of `analyzer.c`. Those without parameters return an address or a limit. */
interface AnalyzerExports
  extends Record<
    | 'classes'
    | 'text'
    | 'letters'
    | 'ids'
    | 'positions'
    | 'endings'
    | 'starts'
    | 'ends'
    | 'state'
    | 'traits'
    | 'unlisted'
    | 'postingTerms'
    | 'postingEnds'
    | 'bytes'
    | 'vector'
    | 'vectorBytes'
    | 'maxUnits'
    | 'maxTokens'
    | 'maxTerms'
    | 'isFull',
    () => number
  > {
  setSeed(a: number, b: number, c: number, d: number): void
  forgetWords(): void
  begin(units: number): void
  scan(at: number, position: number, count: number): number
  learn(word: WordNumber, isAscii: number): number
  invert(titleTokens: number, textTokens: number, tokens: number, titleWeight: number, someUnlisted: number): number
}

/** What `scan` and `learn` return. */
const END = 0
const NEW_ASCII_WORD = 1
const NEW_WORD = 2
const SYMBOLS = 3

/** The fields of the kernel's `state`, by index. */
const AT = 0
const POSITION = 1
const COUNT = 2
const START = 3
const END_OF_WORD = 4

/** The page analyzer in WebAssembly. It has room for pages up to {@link maxUnits}. */
export class KernelAnalyzer implements PageAnalyzer {
  readonly tokens: TokenBuffer
  /** Maximum number of UTF-16 units of a page: of its title, text and identifiers together. */
  readonly maxUnits: number
  readonly #exports: AnalyzerExports
  readonly #memory: Buffer
  readonly #traits: TermTraits
  readonly #text: number
  /** Per unit of the text: an ASCII letter in lower case or a digit, or 0. */
  readonly #letters: Uint8Array
  readonly #state: Uint32Array
  readonly #maxTokens: number
  readonly #maxTerms: number
  #generation = -1

  /** @param memory - never grows, because growing would detach the views of it. */
  constructor(exports: AnalyzerExports, memory: ArrayBuffer) {
    const [a = 0, b = 0, c = 0, d = 0] = randomFillSync(new Int32Array(4))
    exports.setSeed(a, b, c, d)
    this.#exports = exports
    this.#memory = Buffer.from(memory)
    this.maxUnits = exports.maxUnits()
    this.#maxTokens = exports.maxTokens()
    this.#maxTerms = exports.maxTerms()
    this.tokens = new TokenBuffer(name => new Uint32Array(memory, exports[name](), this.#maxTokens))
    this.#traits = new TermTraits(new Uint32Array(memory, exports.traits(), this.#maxTerms))
    this.#text = exports.text()
    this.#letters = new Uint8Array(memory, exports.letters(), this.maxUnits)
    this.#state = new Uint32Array(memory, exports.state(), END_OF_WORD + 1)
    this.#memory.set(unitClasses, exports.classes())
  }

  tokenize(text: string, firstPosition: number): number {
    const { tokens } = this
    const kernel = this.#exports
    const state = this.#state
    if (text.length > this.maxUnits || tokens.count + text.length > this.#maxTokens)
      throw new TypeError(`a text of ${text.length} units is too long for the kernel`)
    if (tokens.count === 0) this.#makeRoom()
    this.#memory.write(text, this.#text, 'utf16le')
    kernel.begin(text.length)
    let code = kernel.scan(0, firstPosition, tokens.count)
    for (;;) {
      if (code === NEW_ASCII_WORD || code === NEW_WORD) {
        const isAscii = code === NEW_ASCII_WORD
        code = kernel.learn(this.#numberOfNewWord(text, state[START]!, state[END_OF_WORD]!, isAscii), isAscii ? 1 : 0)
        continue
      }
      let at = state[AT]!
      let position = state[POSITION]!
      tokens.count = state[COUNT]!
      if (code === END) return position
      if (code === SYMBOLS) tokens.pushSymbols(text, state[START]!, state[END_OF_WORD]!)
      else {
        at = scanOther(text, at, tokens, position)
        position += unitsOfRun
      }
      code = kernel.scan(at, position, tokens.count)
    }
  }

  #numberOfNewWord(text: string, start: number, end: number, isAscii: boolean): WordNumber {
    if (isAscii) return termInterner.numberOfLowerCase(this.#letters, start, end)
    return termInterner.numberOfFolded(foldToTerm(text.slice(start, end)))
  }

  invert(tokens: TokenBuffer, { title, text, unlisted }: PageParts): PagePostings {
    if (tokens.count > this.#maxTokens || termInterner.count > this.#maxTerms)
      throw new TypeError(`${tokens.count} tokens or ${termInterner.count} terms are too many for the kernel`)
    const kernel = this.#exports
    this.#traits.learn()
    if (tokens !== this.tokens) {
      this.tokens.ids.set(tokens.ids.subarray(0, tokens.count))
      this.tokens.positions.set(tokens.positions.subarray(0, tokens.count))
      this.tokens.endings.set(tokens.endings.subarray(0, tokens.count))
    }
    if (unlisted) this.#memory.set(unlisted.subarray(0, tokens.count), kernel.unlisted())
    const count = kernel.invert(title, text, tokens.count, rankingModel.titleWeight, unlisted ? 1 : 0)
    const { buffer } = this.#memory
    const ends = new Uint32Array(buffer, kernel.postingEnds(), count)
    return {
      count,
      terms: new Uint32Array(buffer, kernel.postingTerms(), count),
      ends,
      bytes: new Uint8Array(buffer, kernel.bytes(), count === 0 ? 0 : ends[count - 1]),
      vector: new Uint8Array(buffer, kernel.vector(), kernel.vectorBytes()),
    }
  }

  /** Makes the kernel forget all words if their terms are no longer valid, or if it has no room for more words. */
  #makeRoom(): void {
    termInterner.makeRoom()
    if (this.#generation === termInterner.generation && this.#exports.isFull() === 0) return
    this.#generation = termInterner.generation
    this.#exports.forgetWords()
  }
}

/** Maximum memory of a page analyzer in TypeScript that is kept for further pages, bytes. A huge page makes it grow beyond that. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

/** The page analyzers of the thread. The kernel is null where it cannot be instantiated. */
let kernel: KernelAnalyzer | null | undefined
let plain: PlainAnalyzer | undefined

/** Returns the page analyzer for a page with this number of UTF-16 units. */
export function pageAnalyzerFor(units: number): PageAnalyzer {
  if (kernel === undefined) kernel = loadPageAnalyzer() ?? null
  if (kernel && units <= kernel.maxUnits) return kernel
  if (!plain || plain.bytes > MAX_KEPT_BYTES) plain = new PlainAnalyzer()
  return plain
}

/** Returns the kernel; undefined where it cannot be instantiated. */
export function loadPageAnalyzer(): KernelAnalyzer | undefined {
  const kernel = instantiateKernel(base64, leastPages)
  return kernel && new KernelAnalyzer(kernel.exports as AnalyzerExports, kernel.memory)
}
