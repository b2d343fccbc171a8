/** Maximum number of declared entities that are read. */
const MAX_ENTITIES = 1000
/** Maximum length of the text of an entity, UTF-16 units. An entity of entities of entities could be huge. */
const MAX_ENTITY_UNITS = 1000
/** Maximum length of a document type declaration, UTF-16 units. If it is longer, it is not read. */
const MAX_DOCTYPE_UNITS = 64 * 1024

/** Entities by name. */
export type Entities = ReadonlyMap<string, string>

/** The document type declaration before the first element of an XML document. */
export interface Doctype {
  /** The offset of the declaration, and the offset after it. Both are 0 if there is none. */
  start: number
  end: number
  /** The texts of the entities that it declares, as HTML without markup. */
  entities: Entities
}

const none: Doctype = { start: 0, end: 0, entities: new Map() }

/**
 * Reads the document type declaration of an XML document with its internal subset (XML 1.0, 2.8). External subsets and entities are never
 * read. References to earlier entities in the text of an entity are replaced by their texts, up to a limit.
 */
export function readDoctype(source: string): Doctype {
  const head = source.slice(0, MAX_DOCTYPE_UNITS)
  const start = head.search(/<!doctype[\s[>]/i)
  if (start < 0 || /<[a-z]/i.test(head.slice(0, start))) return none
  let subset = -1
  let quote = ''
  for (let at = start; at < head.length; at++) {
    const unit = head[at]!
    if (quote !== '') {
      if (head.startsWith(quote, at)) {
        at += quote.length - 1
        quote = ''
      }
    } else if (unit === '"' || unit === "'") quote = unit
    else if (head.startsWith('<!--', at)) quote = '-->'
    else if (unit === '[' && subset < 0) subset = at + 1
    else if (unit === ']' && subset >= 0) {
      const close = head.indexOf('>', at)
      if (close < 0) return none
      return { start, end: close + 1, entities: entitiesIn(head.slice(subset, at)) }
    } else if (unit === '>' && subset < 0) return { start, end: at + 1, entities: none.entities }
  }
  return none
}

const declaration = /<!ENTITY\s+([\w.:-]{1,100})\s+(?:"([^"<&]*(?:[<&][^"<&]*)*)"|'([^'<&]*(?:[<&][^'<&]*)*)')/g

function entitiesIn(subset: string): Entities {
  const entities = new Map<string, string>()
  for (const [, name = '', double, single] of subset.matchAll(declaration)) {
    if (entities.size >= MAX_ENTITIES) break
    // The first declaration of an entity counts.
    if (entities.has(name)) continue
    const text = (double ?? single ?? '').slice(0, MAX_ENTITY_UNITS).replace(/<[^<>]*>?/g, ' ')
    entities.set(name, withEntities(text, entities).slice(0, MAX_ENTITY_UNITS))
  }
  return entities
}

/** Replaces the references to declared entities. */
export function withEntities(text: string, entities: Entities): string {
  if (entities.size === 0 || !text.includes('&')) return text
  return text.replace(/&([\w.:-]{1,100});/g, (reference, name: string) => entities.get(name) ?? reference)
}
