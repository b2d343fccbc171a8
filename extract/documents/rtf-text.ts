import { CharsetDecoder } from '../encoding/charset-decoder.ts'

/** Groups that are not text of the document, such as the table of fonts. Other such groups begin with `\*`. */
const destinations = new Set(
  'fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf listtable listoverridetable rsidtbl generator xmlnstbl themedata colorschememapping datastore latentstyles fldinst bkmkstart bkmkend filetbl revtbl'.split(
    ' ',
  ),
)
/** Control words that stand for characters. */
const characters: Readonly<Record<string, string>> = {
  tab: '\t',
  line: '\n',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: ' ',
  enspace: ' ',
  cell: '\t',
  nestcell: '\t',
}
const MAX_GROUPS = 10_000

interface Group {
  isSkipped: boolean
  /** Number of characters after `\u` that are for programs without Unicode. */
  fallback: number
}

/** Returns the paragraphs of a Rich Text document. Formatting, headers and pictures are left out. */
export function rtfParagraphs(bytes: Uint8Array): string[] {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const decoder = decoderOf(/\\ansicpg(\d{1,5})/.exec(source.slice(0, 1000))?.[1] ?? '1252')
  const paragraphs: string[] = []
  const groups: Group[] = []
  let group: Group = { isSkipped: false, fallback: 1 }
  let parts: string[] = []
  let encoded: number[] = []
  let skipped = 0
  const flush = () => {
    if (encoded.length > 0) parts.push(decoder.decode(Uint8Array.from(encoded)))
    encoded = []
  }
  const write = (text: string) => {
    flush()
    if (!group.isSkipped) parts.push(text)
  }
  const end = () => {
    flush()
    const text = parts.join('').trim()
    if (text !== '') paragraphs.push(text)
    parts = []
  }
  // Each match starts where the one before ended, so the time is linear.
  const token = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\/giy
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [, word, number, hex, symbol, brace, plain] = match
    if (brace === '{') {
      groups.push(group)
      if (groups.length > MAX_GROUPS) break
      group = { ...group }
    } else if (brace === '}') {
      flush()
      group = groups.pop() ?? group
      skipped = 0
    } else if (hex !== undefined) {
      if (skipped > 0) skipped--
      else if (!group.isSkipped) encoded.push(Number.parseInt(hex, 16))
    } else if (symbol !== undefined) {
      if (symbol === '*') group.isSkipped = true
      else if (symbol === '~') write('\u00a0')
      else if (symbol === '_') write('\u2011')
      else if (symbol === '\n' || symbol === '\r') end()
      else if (/[\\{}]/.test(symbol)) write(symbol)
    } else if (plain !== undefined) {
      const rest = plain.slice(skipped)
      skipped = Math.max(0, skipped - plain.length)
      if (rest !== '') write(rest)
    } else if (word === 'u' && number !== undefined) {
      write(String.fromCharCode(Number(number) & 0xffff))
      skipped = group.fallback
    } else if (word === 'uc') group.fallback = Math.min(10, Math.max(0, Number(number ?? 1)))
    else if (word === 'par' || word === 'row' || word === 'sect' || word === 'page') {
      if (!group.isSkipped) end()
    } else if (word !== undefined && destinations.has(word)) group.isSkipped = true
    else if (word !== undefined && Object.hasOwn(characters, word)) write(characters[word]!)
  }
  end()
  return paragraphs
}

function decoderOf(codePage: string): InstanceType<typeof TextDecoder> {
  const names: Readonly<Record<string, string>> = {
    '932': 'shift_jis',
    '936': 'gbk',
    '949': 'euc-kr',
    '950': 'big5',
    '874': 'windows-874',
    '866': 'ibm866',
    '65001': 'utf-8',
    '10000': 'macintosh',
  }
  try {
    return new CharsetDecoder(names[codePage] ?? `windows-${codePage}`)
  } catch {
    return new CharsetDecoder('windows-1252')
  }
}
