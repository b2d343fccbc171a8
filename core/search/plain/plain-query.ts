import { queryTerms } from '../../text/terms/query-terms.ts'
import { checkQueryText } from '../query/query-text.ts'
import { readSiteValue, type SiteValue } from '../query/site-value.ts'
import type { SearchField, SyntaxNode } from '../webql/parser.ts'
import { type Connective, connectivesOf } from './connectives.ts'
import { fieldOfGroup, isOperatorName, readOperator, takesAllWords } from './named-operators.ts'
import { type PlainToken, plainTokens } from './plain-tokens.ts'
import { type QueryClause, textsOf } from './query-clauses.ts'

/** A plain query in its clauses, in their order. */
export interface PlainQuery {
  clauses: QueryClause[]
  /** Warnings about operators that asof does not have, or that may be meant otherwise. */
  warnings: string[]
}

/**
 * Parses a plain query: words, "quoted phrases", `site:` and the operators that people know from other engines. Words rank pages, and
 * no word is required. Words with AND or OR between them are conditions, which pages must fulfill. OR joins only its two neighbors: it binds
 * tighter than AND. In a sentence, such as one in capital letters, AND, OR and NOT are words.
 *
 * Parsing needs neither the clock nor the index, so a search does it once, before it waits for its turn.
 *
 * @throws ASOF_INVALID_QUERY - empty, only white space, or longer than `MAX_QUERY_CHARS`.
 * @throws ASOF_INVALID_OPTION - the value of a `site:` is not a domain.
 */
export function parsePlain(text: string): PlainQuery {
  checkQueryText(text)
  const parser = new PlainParser(text)
  const clauses = parser.clauses()
  const apart = sitesApart(textsOf(clauses, 'site'))
  if (apart)
    parser.warnings.add(`no page is on both ${apart[0]} and ${apart[1]}: write site:${apart[0]} OR site:${apart[1]}`)
  return { clauses, warnings: [...parser.warnings] }
}

/** Returns the first site and another one that has no page in common with it. Undefined if every site has pages in common with the first. */
function sitesApart([first = '', ...others]: readonly string[]): [string, string] | undefined {
  const other = others.find(site => site !== first && !site.endsWith(`.${first}`) && !first.endsWith(`.${site}`))
  return other === undefined ? undefined : [first, other]
}

/** A part of a query between connectives. */
interface Operand {
  /** Its clauses if no connective joins it to another operand. */
  alone: readonly QueryClause[]
  /** The condition that pages fulfill if they match the operand. Undefined if the operand has no word. */
  condition: SyntaxNode | undefined
  /** Its words that rank pages. */
  words: readonly string[]
}

interface Item {
  operand: Operand
  /** True if an AND joins it to another item. */
  isRequired: boolean
}

class PlainParser {
  readonly warnings = new Set<string>()
  readonly #tokens: readonly PlainToken[]
  /** For each token the connective that it is. */
  readonly #connectives: readonly (Connective | undefined)[]
  /** For each token true if an operand follows it, or NOT and an operand. */
  readonly #precedesOperand: readonly boolean[]
  #next = 0

  constructor(text: string) {
    this.#tokens = plainTokens(text, isOperatorName)
    this.#connectives = connectivesOf(this.#tokens, warning => this.warnings.add(warning))
    this.#precedesOperand = this.#connectives.length === 0 ? [] : this.#findOperands()
  }

  #findOperands(): boolean[] {
    const precedesOperand: boolean[] = []
    for (let at = this.#tokens.length - 1; at >= 0; at--) {
      const [after, connective] = [this.#tokens[at + 1], this.#connectives[at + 1]]
      const isOperand = after !== undefined && after.kind !== 'close' && connective === undefined
      precedesOperand[at] = isOperand || (connective === 'not' && precedesOperand[at + 1] === true)
    }
    return precedesOperand
  }

  clauses(): QueryClause[] {
    // Most queries have no operators.
    const hasNone = this.#tokens.every((token, at) => isPlain(token) && this.#connectives[at] === undefined)
    if (!hasNone) return clausesOf(this.#sequence())
    return this.#tokens.map(({ kind, text }) => {
      this.#warnOfSigns(text, kind)
      return { kind: kind === 'phrase' ? 'phrase' : 'word', text, isExcluded: false }
    })
  }

  /** Reads up to a closing parenthesis or the end. */
  #sequence(): Item[] {
    const items: Item[] = []
    let hasAnd = false
    let hasOr = false
    for (;;) {
      const kind = this.#tokens[this.#next]?.kind
      if (kind === undefined || kind === 'close') break
      const isJoined = items.length > 0 && this.#takes('and')
      hasAnd ||= isJoined
      const parts = [this.#unary()]
      while (this.#takes('or')) parts.push(this.#unary())
      hasOr ||= parts.length > 1
      if (isJoined) items.at(-1)!.isRequired = true
      items.push({ operand: parts.length > 1 ? eitherOf(parts) : parts[0]!, isRequired: isJoined })
    }
    if (hasAnd && hasOr)
      this.warnings.add('OR joins only what stands beside it: put what belongs together in parentheses')
    return items
  }

  /** Moves past a connective and returns true if an operand follows it. Otherwise it is a word, as in "Portland OR". */
  #takes(connective: Connective): boolean {
    if (this.#connectives[this.#next] !== connective || !this.#precedesOperand[this.#next]) return false
    this.#next++
    return true
  }

  #unary(): Operand {
    let isExcluded = false
    while (this.#takes('not')) isExcluded = !isExcluded
    const operand = this.#signed()
    return isExcluded ? excluded(operand) : operand
  }

  #signed(): Operand {
    const token = this.#tokens[this.#next++]!
    const { sign, kind, name } = token
    const operand = kind === 'open' ? this.#group(name) : this.#primary(token)
    if (sign === '!')
      this.warnings.add(`!${written(token)} was read as -${written(token)}: put it in quotation marks to search for it`)
    if (sign === '-' || sign === '!') return excluded(operand)
    return sign === '+' ? { ...operand, alone: required(operand) } : operand
  }

  #group(name: string): Operand {
    const items = this.#sequence()
    if (this.#tokens[this.#next]?.kind === 'close') this.#next++
    const group: Operand = { ...allOf(items.map(({ operand }) => operand)), alone: clausesOf(items) }
    if (name === '') return group
    const scope = fieldOfGroup(name)
    if (!scope || group.condition === undefined) {
      this.warnings.add(`${name}: takes no parentheses; its words were searched for as words`)
      return group
    }
    const condition = scopedTo(scope.field, group.condition)
    return conditionOn(condition, scope.field === 'url' || scope.field === 'site' ? [] : group.words)
  }

  #primary({ kind, name, text }: PlainToken): Operand {
    if (name === 'site') return this.#site(text)
    if (name !== '') return this.#named(name, text, kind === 'phrase')
    this.#warnOfSigns(text, kind)
    return kind === 'phrase' ? phrase(text) : word(text)
  }

  #named(name: string, text: string, quoted: boolean): Operand {
    const values = [{ text, quoted }]
    if (takesAllWords(name))
      for (let token = this.#tokens[this.#next]; token && isPlain(token); token = this.#tokens[this.#next]) {
        values.push({ text: token.text, quoted: token.kind === 'phrase' })
        this.#next++
      }
    const given = values.filter(value => value.text !== '' || values.length === 1)
    const operands = given.map(value => {
      const { condition, scores = false, warning } = readOperator(name, value.text, value.quoted)
      if (warning !== undefined) this.warnings.add(warning)
      if (condition) return conditionOn(condition, scores ? [value.text] : [])
      return value.quoted ? allOf([word(`${name}:`), phrase(value.text)]) : word(`${name}:${value.text}`)
    })
    return operands.length === 1 ? operands[0]! : allOf(operands)
  }

  #site(value: string): Operand {
    // People also write `site: example.com`.
    const next = this.#tokens[this.#next]
    const isApart = value === '' && next?.kind === 'word' && isPlain(next) && /^[^.]+\..*[^.]$/.test(next.text)
    if (isApart) this.#next++
    const given = isApart ? next.text : value
    if (given === '') {
      // `error: site: not found` is a sentence.
      if (!next) this.warnings.add('site: needs a domain directly after the colon; it was searched for as a word')
      return word('site:')
    }
    const read = readSiteValue(given)
    const condition: SyntaxNode = { kind: 'words', field: 'site', text: siteText(read), quoted: false, at: 0 }
    if (read.address !== undefined) return conditionOn(condition, [])
    return { alone: [{ kind: 'site', text: read.site, isExcluded: false }], condition, words: [] }
  }

  /** Warns of signs that have a meaning in plain queries of other engines, but not in those of asof. */
  #warnOfSigns(text: string, kind: PlainToken['kind']): void {
    if (kind !== 'word' || !/\*$|\.\.|^(?:AROUND|NEAR)\W|^[–—−－]/.test(text)) return
    // Some editors write a dash or a minus sign where a hyphen was typed.
    if (/^[–—−－]\p{L}/u.test(text))
      this.warnings.add(`${text} was searched for as a word: write -${text.slice(1)}, with a hyphen, to exclude it`)
    if (/^\p{L}{2,}\*$/u.test(text))
      this.warnings.add(`${text} was searched for as a whole word: * finds the words that begin so in the mode webql`)
    if (/^(?:AROUND\(\d+\)|NEAR[:/]\d+)$/.test(text))
      this.warnings.add(
        `${text} was searched for as a word: words near each other are found by NEAR/5 in the mode webql`,
      )
    if (/^\p{Sc}?\d+\.\.\p{Sc}?\d+$/u.test(text))
      this.warnings.add(`${text} was searched for as words: ranges of numbers are found by a filter on a field`)
  }
}

function word(text: string): Operand {
  return {
    alone: [{ kind: 'word', text, isExcluded: false }],
    condition: queryTerms(text).length > 0 ? { kind: 'words', text, quoted: false, at: 0 } : undefined,
    words: [text],
  }
}

function phrase(text: string): Operand {
  return {
    alone: [{ kind: 'phrase', text, isExcluded: false }],
    condition: queryTerms(text).length > 0 ? { kind: 'words', text, quoted: true, at: 0 } : undefined,
    words: [text],
  }
}

function conditionOn(condition: SyntaxNode, words: readonly string[]): Operand {
  return { alone: [...words.map(wordClause), conditionClause(condition)], condition, words }
}

function allOf(operands: readonly Operand[]): Operand {
  return {
    alone: operands.flatMap(({ alone }) => alone),
    condition: joined('and', operands),
    words: operands.flatMap(({ words }) => words),
  }
}

function excluded({ alone, condition }: Operand): Operand {
  const not: SyntaxNode | undefined = condition && { kind: 'not', part: condition }
  const [only] = alone
  const isSimple = only && alone.length === 1 && only.kind !== 'condition' && !only.isExcluded
  return {
    alone: isSimple ? [{ ...only, isExcluded: true }] : not ? [conditionClause(not)] : [],
    condition: not,
    words: [],
  }
}

function eitherOf(operands: readonly Operand[]): Operand {
  const condition = joined('or', operands)
  const words = operands.flatMap(operand => operand.words)
  return { alone: words.map(wordClause).concat(condition ? conditionClause(condition) : []), condition, words }
}

function joined(kind: 'and' | 'or', operands: readonly Operand[]): SyntaxNode | undefined {
  const parts = operands.flatMap(({ condition }) => condition ?? [])
  return parts.length > 1 ? { kind, parts } : parts[0]
}

/** Returns the clauses of an operand that is required: pages must match it. */
function required({ alone, condition, words }: Operand): readonly QueryClause[] {
  const isFilter = alone.every(({ kind, isExcluded }) => kind !== 'word' || isExcluded)
  return isFilter || !condition ? alone : [...words.map(wordClause), conditionClause(condition)]
}

function clausesOf(items: readonly Item[]): QueryClause[] {
  return items.flatMap(({ operand, isRequired }) => (isRequired ? required(operand) : operand.alone))
}

function wordClause(text: string): QueryClause {
  return { kind: 'word', text, isExcluded: false }
}

function conditionClause(condition: SyntaxNode): QueryClause {
  return { kind: 'condition', text: '', isExcluded: condition.kind === 'not', condition }
}

function siteText({ site, address = site }: SiteValue): string {
  return address
}

/** Restricts the words of a condition to a field. Words that name a field themselves keep it. */
function scopedTo(field: SearchField | undefined, node: SyntaxNode): SyntaxNode {
  switch (node.kind) {
    case 'and':
    case 'or':
      return { kind: node.kind, parts: node.parts.map(part => scopedTo(field, part)) }
    case 'not':
      return { kind: 'not', part: scopedTo(field, node.part) }
    case 'words':
      if (node.field !== undefined) return node
      return { ...node, field, text: field === 'site' ? siteText(readSiteValue(node.text)) : node.text }
    default:
      return node
  }
}

function isPlain({ kind, sign, name }: PlainToken): boolean {
  return (kind === 'word' || kind === 'phrase') && sign === '' && name === ''
}

/** A token as the caller wrote it, without its sign. */
function written({ kind, name, text }: PlainToken): string {
  const value = kind === 'open' ? '(…)' : kind === 'phrase' ? `"${text}"` : text
  return name === '' ? value : `${name}:${value}`
}
