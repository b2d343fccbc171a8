/** `@asof/extract/characters`: UTF-16 units, texts that a terminal may show, and how far two words are apart. */
export { beginsWithin, isWithinEdits } from './edit-distance.ts'
export { printable, printableJson, printableLine } from './printable.ts'
export { clip, isHighSurrogate, isLowSurrogate, isSurrogate } from './surrogates.ts'
export { stringOfUnits } from './unit-strings.ts'
