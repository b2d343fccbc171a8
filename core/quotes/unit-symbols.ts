/** A unit of a quantity. */
export interface Unit {
  quantity: string
  /** Number of base units of the quantity. */
  size: number
}

const PREFIXES: Readonly<Record<string, number>> = {
  f: 1e-15,
  p: 1e-12,
  n: 1e-9,
  μ: 1e-6,
  u: 1e-6,
  m: 1e-3,
  c: 1e-2,
  d: 1e-1,
  '': 1,
  h: 1e2,
  k: 1e3,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
}

const SMALL = 'f p n μ u m'
const LARGE = 'k M G T'
const OF_DATA = 'k K M G T P Ki Mi Gi Ti'

/** Symbols with the prefixes that are in use: quantity, base units, symbol, prefixes. */
const SYMBOLS: readonly (readonly [quantity: string, size: number, symbol: string, prefixes: string])[] = [
  ['length', 1, 'm', `${SMALL} c d k`],
  ['mass', 1, 'g', `${SMALL} k M`],
  ['time', 1, 's', SMALL],
  ['current', 1, 'A', 'n μ u m k'],
  ['charge', 3600, 'Ah', 'm k'],
  ['temperature', 3, 'K', 'm'],
  ['amount', 1, 'mol', `${SMALL} k`],
  ['concentration', 1, 'M', SMALL],
  ['volume', 1, 'l', `${SMALL} c d h`],
  ['volume', 1, 'L', `${SMALL} c d h`],
  ['frequency', 1, 'Hz', `m ${LARGE}`],
  ['force', 1, 'N', 'n μ u m k M'],
  ['pressure', 1, 'Pa', 'm h k M G'],
  ['pressure', 1e5, 'bar', 'm'],
  ['energy', 1, 'J', `m ${LARGE}`],
  ['energy', 3600, 'Wh', `m ${LARGE}`],
  ['energy', 4.184, 'cal', 'k'],
  ['energy', 1.602e-19, 'eV', `m ${LARGE}`],
  ['power', 1, 'W', `${SMALL} ${LARGE}`],
  ['apparent power', 1, 'VA', 'k M'],
  ['peak power', 1, 'Wp', 'k M G'],
  ['voltage', 1, 'V', `n μ u m k M`],
  ['resistance', 1, 'Ω', 'm k M G'],
  ['conductance', 1, 'S', 'n μ u m'],
  ['capacity', 1, 'F', 'p n μ u m'],
  ['inductance', 1, 'H', 'n μ u m'],
  ['flux density', 1, 'T', 'n μ u m'],
  ['luminous flux', 1, 'lm', ''],
  ['illuminance', 1, 'lx', 'k'],
  ['activity', 1, 'Bq', `m ${LARGE}`],
  ['dose', 1, 'Gy', 'μ u m'],
  ['equivalent dose', 1, 'Sv', 'n μ u m'],
  ['molecular mass', 1, 'Da', 'k M'],
  ['data', 1, 'b', OF_DATA],
  ['data', 1, 'bit', OF_DATA],
  ['data', 8, 'B', OF_DATA],
  ['data rate', 1, 'bps', OF_DATA],
  ['data rate', 8, 'Bps', OF_DATA],
]
/** Symbols of one letter that may be something else, such as `30 S` (south) and `5 M` (million). */
const AMBIGUOUS = /^[MSFHTKB]$/
/** Symbols that are often written in small letters. Bits and bytes differ only in the case of their letter. */
const SMALL_LETTERS = [
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['tb', 1e12],
] as const

const exact = new Map<string, Unit[]>()
/** The units, by their symbols in small letters. */
const inAnyCase = new Map<string, Unit[]>()

function add(symbol: string, unit: Unit): void {
  exact.set(symbol, [...(exact.get(symbol) ?? []), unit])
  const small = symbol.toLowerCase()
  inAnyCase.set(small, [...(inAnyCase.get(small) ?? []), unit])
}

for (const [quantity, size, symbol, prefixes] of SYMBOLS)
  for (const prefix of new Set(['', ...prefixes.split(' ')])) {
    if (prefix === '' && AMBIGUOUS.test(symbol)) continue
    add(prefix + symbol, { quantity, size: size * PREFIXES[prefix]! })
  }
for (const [symbol, size] of SMALL_LETTERS) {
  exact.set(symbol, [{ quantity: 'data', size }])
  exact.set(symbol.replace('b', 'bps'), [{ quantity: 'data rate', size }])
}
exact.get('mb')!.push({ quantity: 'pressure', size: 100 })
for (const [symbol, quantity] of [
  ['dB', 'level'],
  ['dBA', 'weighted level'],
  ['dBm', 'absolute level'],
  ['dBi', 'gain'],
  ['mmHg', 'mercury'],
  ['ppm', 'parts per million'],
  ['ppb', 'parts per billion'],
  ['ppt', 'parts per trillion'],
  ['psi', 'pounds per square inch'],
  ['rpm', 'revolutions'],
  ['fps', 'frames'],
  ['px', 'pixels'],
  ['rem', 'root size'],
  ['em', 'size'],
] as const)
  add(symbol, { quantity, size: 1 })

/**
 * Returns the units that a symbol stands for. A symbol in its usual letter case is only that unit: `mW` and `MW` differ. In any other case
 * it is each unit with the same letters: `KW` is `kW`.
 */
export function symbolUnits(symbol: string): readonly Unit[] {
  return exact.get(symbol) ?? inAnyCase.get(symbol.toLowerCase()) ?? []
}
