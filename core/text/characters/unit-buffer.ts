import { isSurrogate, stringOfUnits } from '@asof/extract/characters'
import { unitClasses, WORD } from './char-table.ts'

/** Takes the place of an erased unit. */
export const ERASED = 0
/** A gap. It becomes a space between two words and is dropped elsewhere. */
export const GAP = 1
export const NEWLINE = 10
export const SPACE = 32

/** Memory for more units than this is not used again. */
const MAX_KEPT_UNITS = 1 << 19

/** The memory of a buffer that is no longer in use. */
let spare: Uint16Array | undefined

/** Collects the UTF-16 units of a text. Units in it can still be erased. It cannot be used after {@link UnitBuffer.finish}. */
export class UnitBuffer {
  length = 0
  readonly units: Uint16Array

  /** @param capacity - maximum number of units. */
  constructor(capacity: number) {
    this.units = spare && spare.length >= capacity ? spare : new Uint16Array(capacity)
    spare = undefined
  }

  push(unit: number): void {
    this.units[this.length++] = unit
  }

  /** Appends text. Units with the values {@link ERASED} and {@link GAP} become spaces. */
  pushText(text: string, start: number, end: number): void {
    for (let at = start; at < end; at++) {
      const unit = text.charCodeAt(at)
      this.units[this.length++] = unit <= GAP ? SPACE : unit
    }
  }

  erase(at: number): void {
    this.units[at] = ERASED
  }

  /**
   * Returns the text. A run of white space becomes a line feed if it contains one, otherwise a space. White space at
   * both ends is dropped.
   */
  finish(): string {
    const { units } = this
    const end = this.length
    let length = 0
    let blank = 0
    let gap = false
    let all = 0
    for (let at = 0; at < end; at++) {
      let unit = units[at]!
      const isVisible = (unit > SPACE && unit < 0x7f) || (unit > GAP && !isBlank(unit))
      if (isVisible) {
        // Writes into the buffer that is being read. The output never overtakes the input, because each space comes
        // from at least one unit.
        if (blank !== 0) {
          if (length > 0) units[length++] = blank
        } else if (gap && length > 0 && isWordUnit(units[length - 1]!) && isWordUnit(unit)) units[length++] = SPACE
        blank = 0
        gap = false
        units[length++] = unit
        all |= unit
        for (; at + 1 < end; at++) {
          unit = units[at + 1]!
          if (unit <= SPACE || unit >= 0x7f) break
          units[length++] = unit
        }
      } else if (unit === GAP) gap = true
      else if (unit !== ERASED) blank = unit === NEWLINE || blank === NEWLINE ? NEWLINE : SPACE
    }
    const text = stringOfUnits(units, length, all)
    if (units.length <= MAX_KEPT_UNITS) spare = units
    return text
  }
}

/** True for white space of any kind, and for control characters. */
export function isBlank(unit: number): boolean {
  if (unit <= SPACE) return true
  if (unit < 0xa0) return unit === 0x7f || unit === 0x85
  return (
    unit === 0xa0 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  )
}

/** True for half of a surrogate pair, and for a unit that can be part of a word in a script with spaces. */
export function isWordUnit(unit: number): boolean {
  return unitClasses[unit] === WORD || isSurrogate(unit)
}
