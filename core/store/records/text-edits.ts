import { AsofError } from '@asof/extract/errors'
import { ByteReader, ByteWriter } from '../../bytes/byte-buffer.ts'

/**
 * Encodes a text as edits of another text. Each step copies UTF-16 units of the other text, then skips some of its
 * units, then inserts new ones. The encoding is the number of steps, three varints per step, and all inserted units as
 * one UTF-8 string. It is short for Markdown and its plain text, which differ only by marks.
 */

/** Number of equal units after which two texts count as aligned again. At the end of a text fewer suffice. */
const IN_STEP = 4
/** Distances within which an alignment is searched for, tried in this order. Most are found within the first. */
const NEAR = 16
const REACHES = [NEAR, 128, 1024, 8192]
/** Maximum number of units of white space between two units that are adjacent in the plain text. */
const MAX_BLANKS = 128
const BACKSLASH = 0x5c
/**
 * Maximum number of comparisons per unit of the texts. When they are used up, the texts have too little in common, and
 * the rest is inserted.
 */
const COMPARISONS_PER_UNIT = 64

/** Returns the edits that turn `from` into `to`. */
export function encodeEdits(from: string, to: string): Uint8Array {
  const steps = new ByteWriter(256)
  inserts.clear()
  let count = 0
  let at = 0
  let budget = COMPARISONS_PER_UNIT * (from.length + to.length)
  for (let made = 0; made < to.length; count++) {
    const copied = commonLength(from, at, to, made)
    at += copied
    made += copied
    const { dropped, inserted, compared } = nextInStep(from, at, to, made, budget)
    budget -= compared
    steps.varint(copied)
    steps.varint(dropped)
    steps.varint(inserted)
    at += dropped
    for (const end = made + inserted; made < end; made++) inserts.push(to.charCodeAt(made))
  }
  const added = inserts.toString()
  // Half a surrogate pair cannot be written as UTF-8. If a step splits a pair, the whole text is inserted.
  if (!added.isWellFormed() && to.isWellFormed()) return whole(to)
  const out = new ByteWriter(steps.length + added.length + 8)
  out.varint(count)
  out.raw(steps.bytes.subarray(0, steps.length))
  out.string(added)
  return out.finish()
}

/** Collects the inserted units of a text. Most of them are single, and a string for each of them would take longer. */
class Inserts {
  #units = new Uint16Array(1024)
  #length = 0

  clear(): void {
    this.#length = 0
    if (this.#units.length > MAX_KEPT_UNITS) this.#units = new Uint16Array(1024)
  }

  push(unit: number): void {
    if (this.#length === this.#units.length) {
      const larger = new Uint16Array(2 * this.#length)
      larger.set(this.#units)
      this.#units = larger
    }
    this.#units[this.#length++] = unit
  }

  toString(): string {
    return Buffer.from(this.#units.buffer, 0, 2 * this.#length).toString('utf16le')
  }
}

/** Memory that a huge page needed is not kept from this size on. */
const MAX_KEPT_UNITS = 1 << 20
const inserts = new Inserts()

/** A text in pieces. Each piece can be read without the others. */
export interface PiecedText {
  count: number
  /** @param index - from 0 to `count` − 1. */
  piece: (index: number) => string
}

/**
 * Reads edits up to the end of `reader` and applies them to `from`.
 *
 * @param units - maximum number of UTF-16 units of the result. Default: no maximum.
 * @throws ASOF_STORE_CORRUPT - the edits are damaged. Edits after the maximum are not checked.
 */
export function applyEdits(from: PiecedText, reader: ByteReader, units: number = Number.POSITIVE_INFINITY): string {
  const count = reader.varint()
  // Each step takes at least three bytes.
  if (count * 3 > reader.bytes.length - reader.at) throw corrupt()
  const steps = new ByteReader(reader.bytes, reader.at)
  for (let left = count * 3; left > 0; left--) reader.varint()
  const added = reader.string()
  const source = new PieceReader(from)
  let text = ''
  let used = 0
  for (let left = count; left > 0 && text.length < units; left--) {
    const copied = steps.varint()
    const dropped = steps.varint()
    const inserted = steps.varint()
    if (used + inserted > added.length) throw corrupt()
    text += source.read(copied, units - text.length) + added.slice(used, used + inserted)
    source.read(dropped, 0)
    used += inserted
  }
  return text.length > units ? text.slice(0, units) : text
}

/** Reads a text in pieces, from its beginning on. */
class PieceReader {
  readonly #text: PiecedText
  /** The index of the current piece; −1 before the first. */
  #index = -1
  /** The text of the current piece. */
  #piece = ''
  /** The offset in the current piece. */
  #at = 0

  constructor(text: PiecedText) {
    this.#text = text
  }

  /**
   * Moves ahead by `length` units.
   *
   * @returns the first of these units, at most `most`.
   * @throws ASOF_STORE_CORRUPT
   */
  read(length: number, most: number): string {
    let text = ''
    for (let left = length; left > 0; ) {
      if (this.#at === this.#piece.length) {
        // The caller has all units that it wants, so the remaining pieces need not be decompressed.
        if (length > 0 && most > 0 && text.length >= most) return text
        if (++this.#index >= this.#text.count) throw corrupt()
        this.#piece = this.#text.piece(this.#index)
        this.#at = 0
      }
      const step = Math.min(left, this.#piece.length - this.#at)
      if (text.length < most) text += this.#piece.slice(this.#at, this.#at + step)
      this.#at += step
      left -= step
    }
    return text
  }
}

function whole(text: string): Uint8Array {
  const out = new ByteWriter(text.length + 16)
  for (const number of [1, 0, 0, text.length]) out.varint(number)
  out.string(text)
  return out.finish()
}

/** Returns the number of equal units after both offsets. Never ends inside a surrogate pair. */
function commonLength(from: string, at: number, to: string, made: number): number {
  const most = Math.min(from.length - at, to.length - made)
  let length = 0
  while (length < most && from.charCodeAt(at + length) === to.charCodeAt(made + length)) length++
  return length > 0 && isHighHalf(from.charCodeAt(at + length - 1)) ? length - 1 : length
}

interface Gap {
  /** Number of units to skip in the first text, and number of units of the second text to insert. */
  dropped: number
  inserted: number
  /** Number of comparisons that the search took. */
  compared: number
}

/** Finds how many units to skip in each text until they are equal again. */
function nextInStep(from: string, at: number, to: string, made: number, budget: number): Gap {
  if (made >= to.length || at >= from.length || budget <= 0)
    return { dropped: 0, inserted: to.length - made, compared: 0 }
  // One unit was replaced, for example a space by a line feed.
  if (made < to.length && agrees(from, at + 1, to, made + 1)) return { dropped: 1, inserted: 1, compared: IN_STEP }
  const escaped = unitsBefore(from.charCodeAt(at), to, made)
  if (escaped > 0) return { dropped: 0, inserted: escaped, compared: escaped }
  if (isBlank(from.charCodeAt(at)) && isBlank(to.charCodeAt(made))) {
    const inserted = unitsBefore(from.charCodeAt(at + 1), to, made)
    if (inserted > 0) return { dropped: 1, inserted, compared: inserted }
  }
  let compared = 0
  for (const reach of REACHES) {
    const length = Math.min(reach, to.length - made)
    compared += length * 3
    for (let dropped = 0; dropped < 3; dropped++) {
      const wanted = Math.min(IN_STEP, from.length - at - dropped)
      const inserted = wanted <= 0 ? -1 : offsetOf(from, at + dropped, wanted, to, made, length)
      if (inserted >= 0) return { dropped, inserted, compared }
    }
    if (reach > NEAR) continue
    // A single equal unit is often a coincidence, so it counts only nearby. There it keeps short words between marks
    // aligned.
    const inserted = offsetOf(from, at, 1, to, made, length)
    if (inserted > 0) return { dropped: 0, inserted, compared }
  }
  return { dropped: 1, inserted: Math.min(to.length - made, NEAR), compared }
}

/**
 * Returns the number of units before a unit if these are white space and an escape, which plain text does not have; -1 if they are others.
 *
 * @param wanted - a unit, or NaN.
 */
function unitsBefore(wanted: number, to: string, made: number): number {
  let at = made
  const most = Math.min(to.length, made + MAX_BLANKS)
  while (at < most && isBlank(to.charCodeAt(at))) at++
  if (to.charCodeAt(at) === BACKSLASH && to.charCodeAt(at) !== wanted) at++
  return to.charCodeAt(at) === wanted ? at - made : -1
}

function isBlank(unit: number): boolean {
  return unit <= 0x20
}

/** Returns the offset in `to[made, made + length)` at which `from[at, at + units)` occurs first; -1 if it does not occur. */
function offsetOf(from: string, at: number, units: number, to: string, made: number, length: number): number {
  if (length > NEAR) return to.slice(made, made + length).indexOf(from.slice(at, at + units))
  const first = from.charCodeAt(at)
  for (let offset = 0; offset + units <= length; offset++) {
    if (to.charCodeAt(made + offset) !== first) continue
    let same = 1
    while (same < units && to.charCodeAt(made + offset + same) === from.charCodeAt(at + same)) same++
    if (same === units) return offset
  }
  return -1
}

/** True if the units at both offsets are equal: {@link IN_STEP} of them, or fewer where the first text ends. */
function agrees(from: string, at: number, to: string, made: number): boolean {
  const wanted = Math.min(IN_STEP, from.length - at)
  let same = 0
  while (same < wanted && from.charCodeAt(at + same) === to.charCodeAt(made + same)) same++
  return wanted > 0 && same === wanted
}

function isHighHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function corrupt(): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', 'the edits of a text do not fit it')
}
