import { AsofError } from './errors.ts'
import { shown } from './shown-value.ts'
import { unknownName } from './unknown-name.ts'

/** What the value of an option may be, besides `undefined`, which always means "not given". */
interface Kind {
  /** As an error says it. */
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
  'true or list': { what: 'true or a list', is: value => value === true || Array.isArray(value) },
} as const satisfies Record<string, Kind>

export type OptionKind = keyof typeof kinds

/** Every option of `T` with its kind: the type checker refuses a table that lacks one, or has one too many. */
export type OptionKinds<T> = { readonly [Name in keyof Required<T> & string]: OptionKind }

export interface OptionsReading {
  /** Options that must be given. */
  required?: readonly string[]
  /** See {@link unknownName}. */
  synonyms?: Readonly<Record<string, string>>
}

/** Checks options as a caller gave them. */
export type ReadOptions<T> = (given: T | undefined) => T

/**
 * Makes the check of one function's options. It takes a plain object or `undefined` and returns a copy, so that nothing
 * the caller does later changes the options. Only names and types are checked: ranges are the function's own affair.
 *
 * The check throws ASOF_INVALID_OPTION for an unknown name (`details.field`; `details.nearest` is the known one that was
 * probably meant), a value of another type, `null` included, and for options that are no plain object.
 */
export function optionsReader<T extends object>(
  optionKinds: OptionKinds<T>,
  { required = [], synonyms = {} }: OptionsReading = {},
): ReadOptions<T> {
  const known = new Map<string, Kind>(
    Object.entries<OptionKind>(optionKinds).map(([name, kind]): [string, Kind] => [name, kinds[kind]]),
  )
  return given => {
    const read: Record<string, unknown> = {}
    if (given !== undefined) {
      try {
        if (!isPlainObject(given)) throw invalidOption('options', `must be a plain object, not ${shown(given)}`)
        for (const name of Object.getOwnPropertyNames(given)) {
          const kind = known.get(name)
          if (kind === undefined) throw unknownOption(name, known.keys(), synonyms)
          const value = given[name]
          if (value === undefined) continue
          if (!kind.is(value)) throw invalidOption(name, `must be ${kind.what}, not ${shown(value)}`)
          read[name] = value
        }
      } catch (cause) {
        if (cause instanceof AsofError) throw cause
        // A getter or a proxy threw.
        throw new AsofError('ASOF_INVALID_OPTION', 'the options cannot be read', { cause })
      }
    }
    for (const name of required) if (!(name in read)) throw invalidOption(name, 'is required')
    return read as T
  }
}

/** Those of some checked options that a table has: for handing them on to a part that knows no others. */
export function optionsIn<T extends object>(options: T, optionKinds: OptionKinds<T>): T
export function optionsIn(options: object, optionKinds: object): object {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(optionKinds, name)))
}

/**
 * Refuses the value of an option.
 *
 * @param reason - what is wrong, as a continuation of the option's name: "must be a number".
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

/** An object literal, of any realm, or one without a prototype: what others inherit would not be seen. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return (
    prototype === Object.prototype ||
    prototype === null ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf'))
  )
}
