import { AsofError } from '@asof/extract/errors'
import { RELEASE } from '../runtime/release.ts'
import { RANKING } from '../segment/ranking-model.ts'
import { ANALYZER, analyzers } from '../text/languages/analyzers.ts'

/** The number of the format on disk that this release writes. It reads all formats from 1 on. */
export const FORMAT = 1

/**
 * The numbers of the rules that an index was made with. Answers depend on them, so an index keeps them until it is upgraded. They
 * are written when the index is created.
 */
export interface Identity {
  /** The encoding of every value. */
  format: number
  /** How texts become terms, see `analyzers`. */
  analyzer: number
  /** How hits are scored and ordered, and which passages are shown. */
  ranking: number
  /** The release of asof that gave the index these numbers. It and all later releases know them. Every format has this field. */
  release: string
  /** Present while an upgrade is not finished. The index can then not be opened. */
  upgrade?: UnfinishedUpgrade
}

/** How far an upgrade has come. It moves captures from the segments before it to new ones, see `core/upgrade`. */
export interface UnfinishedUpgrade {
  /** The number of the analyzer that the index will have. */
  analyzer: number
  /** Segments with lower numbers are still to be moved, the lowest one first. */
  before: number
  /** Number of captures of the lowest of these segments that have been moved, from the first capture on. */
  moved: number
}

/** Returns the identity of a new index. */
export function newIdentity(): Identity {
  return { format: FORMAT, analyzer: ANALYZER, ranking: RANKING, release: RELEASE }
}

export function encodeIdentity(identity: Identity): Uint8Array {
  return Buffer.from(JSON.stringify(identity))
}

/** Returns the identity record of a copy that is not complete yet. */
export function encodeUnfinished(): Uint8Array {
  return Buffer.from(JSON.stringify({ unfinished: true }))
}

/**
 * @throws ASOF_STORE_FORMAT - a newer release made the index; `details.release` names it.
 * @throws ASOF_STORE_CORRUPT
 */
export function decodeIdentity(bytes: Uint8Array): Identity {
  const identity = parse(bytes)
  if (identity.unfinished === true)
    throw new AsofError('ASOF_STORE_CORRUPT', 'the store is an unfinished backup: make another one')
  const { release } = identity
  if (typeof release !== 'string') throw corrupt('release')
  const format = numberIn(identity, 'format')
  // Only the fields of a known format can be read.
  if (format > FORMAT) throw newerError('format', format, release)
  const analyzer = numberIn(identity, 'analyzer')
  if (!analyzers.has(analyzer)) throw newerError('analyzer', analyzer, release)
  const ranking = numberIn(identity, 'ranking')
  if (ranking > RANKING) throw newerError('ranking', ranking, release)
  const { upgrade } = identity
  const numbers = { format, analyzer, ranking, release }
  return upgrade === undefined ? numbers : { ...numbers, upgrade: upgradeIn(upgrade, release) }
}

function upgradeIn(value: unknown, release: string): UnfinishedUpgrade {
  const { analyzer, before, moved } = Object(value) as Record<string, unknown>
  if (!Number.isSafeInteger(before) || !Number.isSafeInteger(moved) || typeof analyzer !== 'number')
    throw corrupt('upgrade')
  if (!analyzers.has(analyzer)) throw newerError('analyzer', analyzer, release)
  return { analyzer, before: Number(before), moved: Number(moved) }
}

function parse(bytes: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', 'the store identity is not JSON', { cause })
  }
  throw new AsofError('ASOF_STORE_CORRUPT', 'the store identity is not an object')
}

function numberIn(identity: Record<string, unknown>, name: 'format' | 'analyzer' | 'ranking'): number {
  const number = identity[name]
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 1) throw corrupt(name)
  return number
}

function corrupt(name: string): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', `the store identity has no usable ${name}`)
}

function newerError(name: string, number: number, release: string): AsofError {
  return new AsofError(
    'ASOF_STORE_FORMAT',
    `the index has ${name} ${number}, which asof ${RELEASE} does not know: use asof ${release} or a later release`,
    { details: { [name]: number, release } },
  )
}
