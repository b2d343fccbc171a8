import { invalidModel } from './invalid-model.ts'

/** Largest JSON file of a model, bytes. A vocabulary of 250,000 words has 20 MB. */
const MAX_JSON_BYTES = 64 * 1024 * 1024

/** An object of a JSON file, whose fields are checked when they are read. */
export class JsonFields {
  readonly #what: string
  readonly #fields: ReadonlyMap<string, unknown>

  /** @param what - the name of the object in error messages, such as `config.json`. */
  constructor(value: unknown, what: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalidModel(`${what} is not an object`)
    this.#what = what
    this.#fields = new Map(Object.entries(value))
  }

  /** Parses a file. */
  static parse(bytes: Uint8Array, what: string): JsonFields {
    if (bytes.length > MAX_JSON_BYTES) throw invalidModel(`${what} has more than ${MAX_JSON_BYTES} bytes`)
    try {
      return new JsonFields(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)), what)
    } catch (cause) {
      if (cause instanceof SyntaxError || cause instanceof TypeError) throw invalidModel(`${what} is not JSON`, cause)
      throw cause
    }
  }

  /** True unless the field is missing or null. */
  has(name: string): boolean {
    return this.value(name) !== undefined
  }

  /** The value of a field; undefined if it is missing or null. */
  value(name: string): unknown {
    return this.#fields.get(name) ?? undefined
  }

  entries(): Iterable<[string, unknown]> {
    return this.#fields
  }

  /** An integer within limits. */
  integer(name: string, least: number, most: number, absent?: number): number {
    const value = this.value(name) ?? absent
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
      throw invalidModel(`${this.#what}: ${name} is not an integer from ${least} to ${most}`)
    return value
  }

  /** A number above 0. */
  positive(name: string, absent?: number): number {
    const value = this.value(name) ?? absent
    if (typeof value !== 'number' || !(value > 0 && value < 1e12))
      throw invalidModel(`${this.#what}: ${name} is not a number above 0`)
    return value
  }

  string(name: string, absent?: string): string {
    const value = this.value(name) ?? absent
    if (typeof value !== 'string') throw invalidModel(`${this.#what}: ${name} is not a string`)
    return value
  }

  boolean(name: string, absent?: boolean): boolean {
    const value = this.value(name) ?? absent
    if (typeof value !== 'boolean') throw invalidModel(`${this.#what}: ${name} is not true or false`)
    return value
  }

  list(name: string): unknown[] {
    const value = this.value(name)
    if (!Array.isArray(value)) throw invalidModel(`${this.#what}: ${name} is not a list`)
    return value
  }

  object(name: string): JsonFields {
    return new JsonFields(this.value(name), `${this.#what}: ${name}`)
  }
}
