import { AsofError } from './errors.ts'
import { shown } from './shown-value.ts'
import { unknownName } from './unknown-name.ts'

/** A type of options. `undefined` and `null` are valid for every type. */
interface Kind {
  /** The name of the type in error messages. */
  what: string
  is: (value: unknown) => boolean
}

const kinds = {
  string: { what: 'a string', is: value => typeof value === 'string' },
  number: { what: 'a number', is: value => typeof value === 'number' },
  boolean: { what: 'true or false', is: value => typeof value === 'boolean' },
  function: { what: 'a function', is: value => typeof value === 'function' },
  object: { what: 'an object', is: isObject },
  list: { what: 'a list', is: value => Array.isArray(value) },
  time: {
    what: 'a string, a number of milliseconds or a Date',
    is: value => typeof value === 'string' || typeof value === 'number' || value instanceof Date,
  },
  duration: {
    what: 'a string or a number of milliseconds',
    is: value => typeof value === 'string' || typeof value === 'number',
  },
  signal: {
    what: 'an AbortSignal',
    is: value => isObject(value) && typeof value.aborted === 'boolean' && typeof value.addEventListener === 'function',
  },
  'false or object': { what: 'false or an object', is: value => value === false || isObject(value) },
  'string or object': { what: 'a string or an object', is: value => typeof value === 'string' || isObject(value) },
  'string or list': { what: 'a string or a list', is: value => typeof value === 'string' || Array.isArray(value) },
  'true or list': { what: 'true or a list', is: value => value === true || Array.isArray(value) },
} as const satisfies Record<string, Kind>

export type OptionKind = keyof typeof kinds

/** The type of every option in `T`. The compiler reports a missing or unknown option. */
export type OptionKinds<T> = { readonly [Name in keyof Required<T> & string]: OptionKind }

export interface OptionsReading {
  /** Names of options that must be given. */
  required?: readonly string[]
  /** Known names by the names that other APIs have for them, as in {@link unknownName}. */
  synonyms?: Readonly<Record<string, string>>
  /**
   * The path of these options inside of the options of a function, such as `weights`. Default: they are the options of the function itself.
   */
  within?: string
}

/** Checks options and returns a copy. */
export type ReadOptions<T> = (given: T | undefined) => T

/** True unless a value is absent: `undefined`, or `null` as in JSON. */
export function isGiven<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null
}

/**
 * Returns a function that checks the names and types of options, and returns a copy so that later changes by the caller
 * have no effect. It accepts a plain object or `undefined`. Ranges of values are for the API function to check.
 *
 * The check throws ASOF_INVALID_OPTION if a name is unknown (`details.field`; `details.nearest` is the name probably
 * meant), if a value has the wrong type, or if the options are not a plain object. `null` means absent, as `undefined` does.
 */
export function optionsReader<T extends object>(
  optionKinds: OptionKinds<T>,
  { required = [], synonyms = {}, within }: OptionsReading = {},
): ReadOptions<T> {
  const known = new Map<string, Kind>(
    Object.entries<OptionKind>(optionKinds).map(([name, kind]): [string, Kind] => [name, kinds[kind]]),
  )
  const pathOf = (name: string): string => (within === undefined ? name : `${within}.${name}`)
  return given => {
    const read: Record<string, unknown> = {}
    if (isGiven(given)) {
      try {
        if (!isPlainObject(given))
          throw invalidOption(within ?? 'options', `must be a plain object, not ${shown(given)}`)
        for (const name of Object.getOwnPropertyNames(given)) {
          const kind = known.get(name)
          if (kind === undefined) throw unknownOption(pathOf(name), Array.from(known.keys(), pathOf), synonyms)
          const value = given[name]
          if (!isGiven(value)) continue
          if (!kind.is(value)) throw invalidOption(pathOf(name), `must be ${kind.what}, not ${shown(value)}`)
          read[name] = value
        }
      } catch (cause) {
        if (cause instanceof AsofError) throw cause
        // A getter or proxy in the caller's object threw.
        throw new AsofError('ASOF_INVALID_OPTION', 'the options cannot be read', { cause })
      }
    }
    for (const name of required) if (!(name in read)) throw invalidOption(pathOf(name), 'is required')
    return read as T
  }
}

/** Returns only the options that are in a table, for a function that rejects others. */
export function optionsIn<T extends object>(options: T, optionKinds: OptionKinds<T>): T
export function optionsIn(options: object, optionKinds: object): object {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(optionKinds, name)))
}

/**
 * Returns the error for an invalid option.
 *
 * @param reason - the end of a sentence whose subject is the option, such as "must be a number".
 */
export function invalidOption(field: string, reason: string): AsofError {
  return new AsofError('ASOF_INVALID_OPTION', `${field} ${reason}`, { details: { field } })
}

function unknownOption(...given: Parameters<typeof unknownName>): AsofError {
  const { hint, ...details } = unknownName(...given)
  return new AsofError('ASOF_INVALID_OPTION', `unknown option ${details.field}; ${hint}`, { details })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * True for object literals of any realm, and for objects without a prototype. Other objects are rejected, because they
 * may inherit options, which a check of own properties would miss.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return (
    prototype === Object.prototype ||
    prototype === null ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf'))
  )
}
