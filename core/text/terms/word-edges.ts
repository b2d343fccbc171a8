import { unitClasses, WORD } from '../characters/char-table.ts'

/** Maximum number of units that {@link edgesOf} reads at once. It cannot find more edges than that. */
export const MAX_EDGES = 4096
/** Maximum number of units of a text, such as a title, that are copied one by one. */
const MAX_SHORT = 256
const SPACE = 0x20
/** Memory for the units of a text, see {@link copiedUnits}. It has room for a piece of a stored text. */
const unitMemory = new Uint16Array(64 * 1024 + 2)

/**
 * Copies the units of a text, which V8 reads faster from an array than from a string. The result is valid until the
 * next call. A space follows the text, and at least one more unit.
 */
export function copiedUnits(text: string): Uint16Array {
  if (text.length <= MAX_SHORT) {
    for (let at = 0; at < text.length; at++) unitMemory[at] = text.charCodeAt(at)
    unitMemory[text.length] = SPACE
    return unitMemory
  }
  const units = unitMemory.length < text.length + 2 ? new Uint16Array(text.length + 2) : unitMemory
  Buffer.from(units.buffer).write(text, 'utf16le')
  units[text.length] = SPACE
  return units
}

/** The start and the end of each word that {@link edgesOf} found, one after the other. */
export const edges: Uint32Array = new Uint32Array(MAX_EDGES)
/** Offset before which {@link edgesOf} found every word. */
export let edgesEnd = 0

/**
 * Finds where words begin and end in the units from `from` to `to`. No word may extend across `from`. Stops before the first unit whose
 * class is neither WORD (1) nor SEPARATOR (0). A word whose end was not found is left to the caller. The loop has no branch at the end
 * of a word, because the processor would predict it wrongly about once a word, which takes longer than all the rest.
 *
 * @returns the number of {@link edges}.
 */
export function edgesOf(units: Uint16Array, from: number, to: number): number {
  let count = 0
  let inWord = 0
  let at = from
  for (; at < to; at++) {
    const charClass = unitClasses[units[at]!]!
    if (charClass > WORD) break
    edges[count] = at
    count += charClass ^ inWord
    inWord = charClass
  }
  edgesEnd = inWord === 1 ? edges[count - 1]! : at
  return count - inWord
}
