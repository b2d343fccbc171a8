interface ArrayType<Element> {
  /** The number of the type in PostgreSQL. */
  to: number
  from: number[]
  serialize: (elements: readonly unknown[]) => string
  parse: (text: string) => Element[]
}

/**
 * The types of arrays that statements send and return. Without this list, the client would ask each new connection for the types of the
 * database. If the connection were lost meanwhile, the process would end (postgres 3.4.9; porsager/postgres#1192).
 */
export const arrayTypes = {
  ints: arrayType(1007, Number),
  texts: arrayType(1009, String),
  bigints: arrayType(1016, Number),
  uuids: arrayType(2951, String),
}

function arrayType<Element>(oid: number, parse: (text: string) => Element): ArrayType<Element> {
  return {
    to: oid,
    from: [oid],
    serialize: elements => `{${elements.map(quoted).join()}}`,
    parse: text => elementsOf(text).map(parse),
  }
}

function quoted(element: unknown): string {
  if (element === undefined) throw new TypeError('an element of an array must not be undefined')
  if (element === null) return 'null'
  if (typeof element === 'number') return String(element)
  return `"${String(element).replace(/["\\]/g, '\\$&')}"`
}

/** Splits an array with one dimension and without null, such as `{a,"b, c"}`. */
function elementsOf(text: string): string[] {
  const elements = text.matchAll(/"((?:[^"\\]|\\.)*)"|[^{},"]+/gs)
  return Array.from(elements, ([bare, inQuotes]) => inQuotes?.replace(/\\(.)/gs, '$1') ?? bare)
}
