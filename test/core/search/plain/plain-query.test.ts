import { describe, expect, it } from 'vitest'
import { parsePlain } from '../../../../core/search/plain/plain-query.ts'
import type { QueryClause } from '../../../../core/search/plain/query-clauses.ts'
import type { SyntaxNode } from '../../../../core/search/webql/parser.ts'

/** A condition in the notation of the full query language. */
function written(node: SyntaxNode): string {
  switch (node.kind) {
    case 'and':
    case 'or':
      return `(${node.parts.map(written).join(node.kind === 'and' ? ' ' : ' OR ')})`
    case 'not':
      return `-${written(node.part)}`
    case 'words': {
      const text = node.quoted || node.text.includes(' ') ? `"${node.text}"` : node.text
      return node.field === undefined ? text : `${node.field}:${text}`
    }
    case 'range':
      return `${node.field}:${node.isOpen ? `<${node.to}` : `[${node.from} TO ${node.to}]`}`
    default:
      return node.kind
  }
}

const shown = ({ kind, text, isExcluded, condition }: QueryClause): string =>
  condition
    ? `{${written(condition)}}`
    : `${isExcluded ? '-' : ''}${kind === 'word' ? text : kind === 'site' ? `site:${text}` : `"${text}"`}`
const clausesOf = (query: string) => parsePlain(query).clauses.map(shown).join(' ')
const warningOf = (query: string) => parsePlain(query).warnings.join('; ') || undefined

const sentence = 'Every host who ever wanted fresh fish AND white wine on one quay near blue water came here'

describe('a plain query', () => {
  it.each([
    // Words and phrases, also with signs that are no operators where they stand.
    ['red "oak desk" -lamp', 'red "oak desk" -lamp'],
    ['print() f(x) Mercury (planet) :) (', 'print() f(x) Mercury (planet) :) ('],
    ['well-known - a -"b c"', 'well-known - a -"b c"'],
    ['git log --oneline', 'git log --oneline'],
    ['std::vector error: site: foo', 'std::vector error: site: foo'],
    ['1 != 2 and not or a + b +49', '1 != 2 and not or a + b +49'],
    ['wow! hello! C++ !== !! a!b', 'wow! hello! C++ !== !! a!b'],
    ['after: the war before: it', 'after: the war before: it'],
    ['Portland OR', 'Portland OR'],
    ['a site:a.example site:b.a.example -site:c.example', 'a site:a.example site:b.a.example -site:c.example'],
    ['AND gate OR OR', 'AND gate OR OR'],
    ['NOT', 'NOT'],
    // Boolean operators and parentheses.
    ['cat OR dog', 'cat dog {(cat OR dog)}'],
    ['food cat OR dog OR "red fox"', 'food cat dog red fox {(cat OR dog OR "red fox")}'],
    ['cat | dog || cow', 'cat dog cow {(cat OR dog OR cow)}'],
    ['cat AND dog', 'cat {cat} dog {dog}'],
    ['cat && dog food', 'cat {cat} dog {dog} food'],
    ['"a b" AND -c', '"a b" -c'],
    ['cat NOT dog', 'cat -dog'],
    ['cat AND NOT dog', 'cat {cat} -dog'],
    ['cat NOT NOT dog', 'cat dog'],
    ['cat NOT "red fox" NOT site:a.example', 'cat -"red fox" -site:a.example'],
    ['cat NOT (dog OR cow)', 'cat {-(dog OR cow)}'],
    ['cat -(dog cow)', 'cat {-(dog cow)}'],
    ['(cat dog) OR (cow "red fox")', 'cat dog cow red fox {((cat dog) OR (cow "red fox"))}'],
    ['(cat OR dog food', 'cat dog {(cat OR dog)} food'],
    ['f(x) OR g(y(z))', 'f(x) g(y(z)) {(f(x) OR g(y(z)))}'],
    ['(f(x)) OR b', 'f(x) b {(f(x) OR b)}'],
    ['a OR -b', 'a {(a OR -b)}'],
    ['pool site:a.example OR site:b.example', 'pool {(site:a.example OR site:b.example)}'],
    ['pool site:(a.example OR b.example/x)', 'pool {(site:a.example OR site:b.example/x)}'],
    ['🚀 OR cat', '🚀 cat {cat}'],
    // Names, and scripts without capital letters, are joined.
    ['NASA OR ESA', 'NASA ESA {(NASA OR ESA)}'],
    ['SQL NOT MYSQL', 'SQL -MYSQL'],
    ['猫 AND 犬', '猫 {猫} 犬 {犬}'],
    ['猫 NOT 犬', '猫 -犬'],
    ['日本の経済成長 OR GDP', '日本の経済成長 GDP {(日本の経済成長 OR GDP)}'],
    ['NASA OR ESA OR JAXA OR ISRO OR CNSA', 'NASA ESA JAXA ISRO CNSA {(NASA OR ESA OR JAXA OR ISRO OR CNSA)}'],
    ['ISO-9001 OR ISO-14001', 'ISO-9001 ISO-14001 {(ISO-9001 OR ISO-14001)}'],
    ['(US OR UK) AND GDP', 'US UK {(US OR UK)} GDP {GDP}'],
    // Names that are also function words.
    ['US OR UK', 'US UK {(US OR UK)}'],
    ['health IT AND security', 'health IT {IT} security {security}'],
    ['WHO NOT UN', 'WHO -UN'],
    // Parentheses, quotation marks and names of operators that make connectives of words in capital letters.
    ['(CATFISH OR DOGFISH) AND FOOD', 'CATFISH DOGFISH {(CATFISH OR DOGFISH)} FOOD {FOOD}'],
    ['CATFISH AND (DOGFISH OR FOOD)', 'CATFISH {CATFISH} DOGFISH FOOD {(DOGFISH OR FOOD)}'],
    ['"NEW YORK" OR "LOS ANGELES"', 'NEW YORK LOS ANGELES {("NEW YORK" OR "LOS ANGELES")}'],
    ['"on" OR "off"', 'on off {("on" OR "off")}'],
    ['JOBS site:US.EXAMPLE OR site:UK.EXAMPLE', 'JOBS {(site:us.example OR site:uk.example)}'],
    // Operators of fields, sites and dates.
    ['intitle:pool', 'pool {title:pool}'],
    ['InTitle:"red pool" x', 'red pool {title:"red pool"} x'],
    ['a -intitle:pool', 'a {-title:pool}'],
    ['a NOT intitle:pool', 'a {-title:pool}'],
    ['intitle:(red OR blue)', 'red blue {(title:red OR title:blue)}'],
    ['allintitle: red pool', 'red {title:red} pool {title:pool}'],
    ['inurl:docs a', '{url:docs} a'],
    ['a -inurl:docs', 'a {-url:docs}'],
    ['intext:pool', 'pool {pool}'],
    ['+pool a', 'pool {pool} a'],
    ['+"red pool" a', '"red pool" a'],
    ['site:a.example/docs/x pool', '{site:a.example/docs/x} pool'],
    ['site:https://a.example/ pool', 'site:a.example pool'],
    ['site:http://a.example:80/b?c=1#d', '{site:a.example/b?c=1}'],
    ['site:*.a.example -site:.b.example', 'site:a.example -site:b.example'],
    ['-site:a.example/docs pool', '{-site:a.example/docs} pool'],
    ['site: a.example pool', 'site:a.example pool'],
    ['site:"a.example"', 'site:a.example'],
    ['a after:2024', 'a {published:[2024-01-01 TO *]}'],
    ['a before:2024-5', 'a {published:<2024-05-01}'],
    ['a after:2024/05/03 -before:2024-06-01T10:00Z', 'a {published:[2024-05-03 TO *]} {-published:<2024-06-01T10:00Z}'],
    ['a after:2023 OR before:2020', 'a {(published:[2023-01-01 TO *] OR published:<2020-01-01)}'],
  ])('reads %j as %s, without a warning', (query, clauses) => {
    expect([clausesOf(query), warningOf(query)]).toEqual([clauses, undefined])
  })

  it.each([
    ['!swan', '-swan', '!swan was read as -swan'],
    ['lake !"red swan"', 'lake -"red swan"', '!"red swan" was read as -"red swan"'],
    ['lake !(a b)', 'lake {-(a b)}', '!(…) was read as -(…)'],
    ['a site:a.example site:b.example', 'a site:a.example site:b.example', 'write site:a.example OR site:b.example'],
    ['a site:a.example or site:b.example', 'a site:a.example or site:b.example', 'no page is on both'],
    ['DO NOT ENTER', 'DO NOT ENTER', 'write -WORD to exclude a word'],
    ['HOTELS AND BARS IN PARIS', 'HOTELS AND BARS IN PARIS', 'in quotation marks'],
    ['BOAT SINKS (VIDEO) AND SAILORS SWIM', 'BOAT SINKS VIDEO AND SAILORS SWIM', 'in quotation marks'],
    ['LET US NOT FALL', 'LET US NOT FALL', 'write -WORD to exclude a word'],
    ['this IS NOT open', 'this IS NOT open', 'write -WORD to exclude a word'],
    ['sql NOT IN', 'sql NOT IN', 'write -WORD to exclude a word'],
    ['US AND THEM', 'US AND THEM', 'in quotation marks'],
    ['DATABANKS OR DATABASES', 'DATABANKS OR DATABASES', 'reads like a sentence'],
    [sentence, sentence, 'AND was searched for as a word'],
    ['the bridge is NOT closed', 'the bridge is NOT closed', 'write -WORD to exclude a word'],
    ['to be OR not to be', 'to be OR not to be', 'put what it joins in quotation marks'],
    ['cats AND the dog', 'cats AND the dog', 'put what it joins in quotation marks'],
    ['a AND b OR c', 'a {a} b c {(b OR c)}', 'in parentheses'],
    ['pdf filetype:pdf', 'pdf {url:"pdf"}', 'filetype: finds pages whose address has the word pdf'],
    ['a -ext:.docx', 'a {-url:"docx"}', 'ext: finds pages whose address has the word docx'],
    ['a after:soon', 'a after:soon', 'after: needs a date such as 2024-05-10'],
    ['a before:2024-02-30', 'a before:2024-02-30', 'before: needs a date'],
    ['intitle: pool', 'intitle: pool', 'intitle: needs a word directly after the colon'],
    ['cache:a.example', 'cache:a.example', 'cache: is no operator of a plain query'],
    ['related:a.example x', 'related:a.example x', 'related: is no operator'],
    ['link:"a b"', 'link: "a b"', 'link: is no operator'],
    ['title:pool', 'title:pool', 'title: is no operator of a plain query in asof: use intitle:'],
    ['pool*', 'pool*', '* finds the words that begin so in the mode webql'],
    ['cat AROUND(3) dog', 'cat AROUND(3) dog', 'NEAR/5 in the mode webql'],
    ['camera $100..$200', 'camera $100..$200', 'a filter on a field'],
  ])('reads %j as %s, and says so', (query, clauses, warning) => {
    expect(clausesOf(query)).toBe(clauses)
    expect(warningOf(query)).toContain(warning)
  })

  it('is read at its full length, whatever it repeats or nests', () => {
    for (const part of ['(', '-(', 'NOT ', 'a OR ', 'a AND (', '!', 'intitle:(', 'a" ', ')', '+a '])
      expect(() => parsePlain(part.repeat(Math.floor(2048 / part.length))), part).not.toThrow()
  })
})
