/** The first place at which a text is not JSON. */
export interface JsonFault {
  /** Counted from 1. */
  line: number
  /** Position in the line in UTF-16 units, counted from 1. */
  column: number
  /** The tokens that would be valid at that place, in words. */
  expected: string
}

type State = 'value' | 'first item' | 'first name' | 'name' | 'colon' | 'next item' | 'next member' | 'end'

const expectations: Readonly<Record<State, string>> = {
  value: 'a value',
  'first item': 'a value or ]',
  'first name': 'a name in double quotes or }',
  name: 'a name in double quotes',
  colon: 'a colon',
  'next item': 'a comma or ]',
  'next member': 'a comma or }',
  end: 'the end of the text',
}

/** One token with the white space before it (RFC 8259). */
const TOKEN =
  /[ \t\n\r]*(?:(?<mark>[{}[\]:,])|(?<string>"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*")|(?<atom>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)))/y

/** Returns the state after a value: in a list, in an object, or at the end of the text. */
function afterValue(container: '[' | '{' | undefined): State {
  if (container === undefined) return 'end'
  return container === '[' ? 'next item' : 'next member'
}

/**
 * Returns the state after a token, or `undefined` if the token is not allowed in this state. Adds opened containers to
 * `containers`, and removes closed ones.
 */
function next(state: State, token: string, containers: ('[' | '{')[]): State | undefined {
  if (token === '[' || token === '{') {
    if (state !== 'value' && state !== 'first item') return undefined
    containers.push(token)
    return token === '[' ? 'first item' : 'first name'
  }
  if (token === ']' || token === '}') {
    const closes = token === ']' ? ['first item', 'next item'] : ['first name', 'next member']
    if (!closes.includes(state)) return undefined
    containers.pop()
    return afterValue(containers.at(-1))
  }
  if (token === ':') return state === 'colon' ? 'value' : undefined
  if (token === ',') return state === 'next item' ? 'value' : state === 'next member' ? 'name' : undefined
  if (state === 'value' || state === 'first item') return afterValue(containers.at(-1))
  return token.startsWith('"') && (state === 'name' || state === 'first name') ? 'colon' : undefined
}

/** Finds the first place at which a text is not JSON. Returns `undefined` if it is JSON. */
export function jsonFault(text: string): JsonFault | undefined {
  const containers: ('[' | '{')[] = []
  let state: State = 'value'
  let end = 0
  for (;;) {
    TOKEN.lastIndex = end
    const { mark, string, atom } = TOKEN.exec(text)?.groups ?? {}
    const token = mark ?? string ?? atom
    const after: State | undefined = token === undefined ? undefined : next(state, token, containers)
    if (after === undefined) break
    state = after
    end = TOKEN.lastIndex
  }
  const at = end + (/^[ \t\n\r]*/.exec(text.slice(end))?.[0].length ?? 0)
  if (state === 'end' && at === text.length) return undefined
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return { line, column: at - before.lastIndexOf('\n'), expected: expectations[state] }
}

/** Describes a fault in one line: `line 1, column 12: expected a colon`. */
export function faultText({ line, column, expected }: JsonFault): string {
  return `line ${line}, column ${column}: expected ${expected}`
}
