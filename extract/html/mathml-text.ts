import type { HtmlNode, HtmlTree } from './html-tree.ts'
import { exponent, subscript } from './raised-text.ts'

/** A part of a formula that is already text. */
interface Piece {
  text: string
  /** True if the text needs no parentheses beside an operator: one number, one name, or something in brackets. */
  isAtom: boolean
  /** True for an operator, such as `+`, which has spaces around it between operands. */
  isOperator: boolean
  /**
   * `exponent` if the text ends with an exponent; `open` if a factor written after it would seem to be a part of it, as after `1/2` and
   * `√x`.
   */
  ends?: 'exponent' | 'open'
  /** True if the text begins with marks that belong to what follows, as in `¹⁴C`. */
  beginsWithMarks?: boolean
  /** The parts of an element that only groups them. */
  held?: readonly Piece[]
}

interface OpenElement {
  node: HtmlNode
  pieces: Piece[]
}

/** Maximum number of nodes and characters of a formula. The rest of a longer one is left out. */
const MAX_NODES = 5000
const MAX_CHARS = 10_000

/** Stands between the factors of a product. */
const INVISIBLE_TIMES = '\u2062'

const tokens = new Set(['mi', 'mn', 'mo', 'ms', 'mtext'])
/** Elements without text for readers. */
const unseen = new Set(['mjx-surd', 'annotation', 'annotation-xml', 'mphantom', 'maligngroup', 'malignmark'])
/** Text of the piece for `<mprescripts>`, between the marks that follow a base and those that precede it. */
const PRESCRIPTS = '\u0000'
/** Parts of a drawing without text: strokes, and definitions of the shapes of characters. */
const strokes = new Set(['defs', 'rect', 'line', 'ellipse', 'polygon'])
/** Elements of which only the first child is shown. */
const firstChildOnly = new Set(['semantics', 'maction'])

/** Returns MathML as a line of text, such as `x² + 1/2`. Its time is linear, and it does not recurse. */
export function mathText(tree: HtmlTree, math: HtmlNode): string {
  const open: OpenElement[] = [{ node: math, pieces: [] }]
  const end = Math.min(math.end, math.index + MAX_NODES)
  let chars = 0
  const closeUntil = (index: number) => {
    while (open.length > 1 && open[open.length - 1]!.node.end <= index) {
      const { node, pieces } = open.pop()!
      add(open[open.length - 1]!, pieceOf(node, pieces))
    }
  }
  for (let i = math.index + 1; i < end && chars < MAX_CHARS; i++) {
    closeUntil(i)
    const node = tree.nodes[i]!
    const top = open[open.length - 1]!
    const drawn = drawnCharacter(node)
    if (drawn !== undefined) {
      chars += drawn.length
      add(top, { text: drawn, isAtom: true, isOperator: false })
      continue
    }
    if (
      unseen.has(node.tag) ||
      strokes.has(node.tag) ||
      (firstChildOnly.has(nameOf(top.node)) && top.pieces.length > 0)
    )
      i = node.end - 1
    else if (node.tag === '') {
      const text = node.text.replace(/[\s\u200b\u2063\u2064]+/g, ' ').trim()
      chars += text.length
      if (text !== '') add(top, { text, isAtom: true, isOperator: false })
    } else open.push({ node, pieces: [] })
  }
  closeUntil(Number.POSITIVE_INFINITY)
  while (open.length > 1) {
    const { node, pieces } = open.pop()!
    add(open[open.length - 1]!, pieceOf(node, pieces))
  }
  return row(open[0]!.pieces).text
}

/** Elements of MathJax that only hold their parts, which belong to the element around them. */
const holders = new Set([
  'mjx-script',
  'mjx-frac',
  'mjx-dbox',
  'mjx-dtable',
  'mjx-row',
  'mjx-over',
  'mjx-under',
  'mjx-sqrt',
  'mjx-box',
])

/** Returns the name of an element in MathML. Drawings of MathJax have it as an attribute. */
function nameOf({ tag, attributes }: HtmlNode): string {
  return attributes['data-mml-node'] ?? tag.replace(/^mjx-/, '')
}

/**
 * Returns the character that an element of MathJax draws, by a class such as `mjx-c1D465` or as a shape. Italic letters become plain
 * ones. Undefined for elements that draw no character.
 */
function drawnCharacter({ tag, attributes }: HtmlNode): string | undefined {
  const { 'data-c': shape } = attributes
  if (tag !== 'mjx-c' && shape === undefined) return undefined
  const code = shape ?? /(?:^|\s)mjx-c([0-9A-F]{2,6})(?:\s|$)/.exec(attributes.class?.slice(0, 100) ?? '')?.[1]
  const point = Number.parseInt(code ?? '', 16)
  return point <= 0x10ffff ? String.fromCodePoint(point).normalize('NFKC') : ''
}

function add({ node, pieces }: OpenElement, piece: Piece): void {
  if (node.tag.startsWith('mjx-') && piece.text === '') return
  if (piece.held) for (const inner of piece.held) pieces.push(inner)
  else pieces.push(piece)
}

function pieceOf(node: HtmlNode, parts: Piece[]): Piece {
  let pieces = parts
  const { attributes } = node
  if (holders.has(node.tag)) return { ...row(pieces), held: inOrder(node, pieces) }
  const tag = nameOf(node)
  if (tag === 'mprescripts') return { text: PRESCRIPTS, isAtom: true, isOperator: false }
  if (tokens.has(tag)) {
    const text = pieces.map(({ text }) => text).join(tag === node.tag ? ' ' : '')
    return { text: text === '\u2061' ? '' : text, isAtom: true, isOperator: tag === 'mo' && !fences.test(text) }
  }
  if (attributes['data-mml-node'] !== undefined) pieces = drawnInOrder(tag, pieces)
  const [base, second, third] = pieces.map(({ text }) => text)
  const atom = (text: string): Piece => ({ text, isAtom: true, isOperator: false })
  switch (tag) {
    case 'mspace':
      return atom(' ')
    case 'mfrac':
      if (pieces.length !== 2) break
      if (/^0(?:px|pt|em|ex)?$/.test(attributes.linethickness ?? '')) return atom(`(${base} over ${second})`)
      return { text: `${operand(pieces[0])}/${operand(pieces[1])}`, isAtom: false, isOperator: false, ends: 'open' }
    case 'msqrt':
      return root('√', row(pieces))
    case 'mroot':
      if (pieces.length !== 2) break
      return root(second === '3' ? '∛' : second === '4' ? '∜' : `${exponent(second!)}√`, pieces[0]!)
    case 'msup':
      if (pieces.length !== 2) break
      return script(pieces[0]!, raised(second!), true)
    case 'msub':
      if (pieces.length !== 2) break
      return script(pieces[0]!, subscript(second!))
    case 'msubsup':
    case 'munderover':
      if (pieces.length !== 3) break
      return script(pieces[0]!, subscript(second!) + raised(third!), true)
    case 'munder':
      if (pieces.length !== 2) break
      return lines.test(second!) ? pieces[0]! : script(pieces[0]!, subscript(second!))
    case 'mover': {
      if (pieces.length !== 2) break
      const accent = accents.get(second!)
      if (accent === undefined) return lines.test(second!) ? pieces[0]! : script(pieces[0]!, raised(second!))
      return [...base!].length === 1 ? atom(base! + accent) : script(pieces[0]!, second!)
    }
    case 'mmultiscripts':
      if (pieces.length < 2) break
      return multiscripts(pieces)
    case 'mfenced': {
      const separators = [...(attributes.separators ?? ',').replace(/\s+/g, '')]
      const inner = pieces.map(({ text }, at) => {
        const separator = separators[Math.min(at, separators.length - 1)] ?? ''
        return at === pieces.length - 1 ? text : `${text}${separator} `
      })
      return atom(`${attributes.open ?? '('}${inner.join('').trim()}${attributes.close ?? ')'}`)
    }
    case 'mtd':
      return { ...row(pieces), isOperator: false }
    case 'mtr':
    case 'mlabeledtr':
      return { text: cells(pieces), isAtom: false, isOperator: false }
    case 'mtable':
      return { text: pieces.map(({ text }) => text).join('; '), isAtom: pieces.length === 1, isOperator: false }
  }
  return row(pieces)
}

const fences = /^[()[\]{}⟨⟩|‖⌈⌉⌊⌋∣∥]$/
/** Lines, arrows and braces above or below a term, which only show how far it reaches. */
const lines = /^[_‾¯⏞⏟⏜⏝︷︸︵︶]$/
/** The combining marks of accents. */
const accents = new Map([
  ...['^', 'ˆ', '̂'].map(char => [char, '\u0302'] as const),
  ...['¯', '‾', 'ˉ', '_', '−', '-', '̅'].map(char => [char, '\u0304'] as const),
  ...['~', '˜', '∼', '̃'].map(char => [char, '\u0303'] as const),
  ...['→', '⃗', '⇀'].map(char => [char, '\u20d7'] as const),
  ...['.', '˙', '̇'].map(char => [char, '\u0307'] as const),
  ...['¨', '..', '̈'].map(char => [char, '\u0308'] as const),
])

/** Returns a base with the marks above, below or beside it. */
function script(base: Piece, marks: string, isRaised = false): Piece {
  const isWhole = base.isAtom && base.ends !== 'open' && !(isRaised && base.ends === 'exponent')
  const text = (isWhole ? base.text : `(${base.text})`) + marks
  return { text, isAtom: true, isOperator: false, ends: isRaised ? 'exponent' : undefined }
}

/** Returns the marks of a base in the order of MathML: MathJax draws the upper one first. */
function inOrder({ tag, parent }: HtmlNode, pieces: readonly Piece[]): readonly Piece[] {
  return tag === 'mjx-script' && parent?.tag === 'mjx-msubsup' ? pieces.toReversed() : pieces
}

/** Returns the parts of a drawing in the order of MathML, without the sign of a root. A drawing has upper marks before lower ones. */
function drawnInOrder(tag: string, pieces: Piece[]): Piece[] {
  if (tag === 'msqrt' || tag === 'mroot') return pieces.filter(({ text }) => text !== '√')
  const [base, upper, lower] = pieces
  if ((tag !== 'msubsup' && tag !== 'munderover') || !base || !upper || !lower) return pieces
  return [base, lower, upper]
}

function root(sign: string, radicand: Piece): Piece {
  return { text: sign + operand(radicand), isAtom: true, isOperator: false, ends: 'open' }
}

/** Returns a base with pairs of a lowered and a raised mark, after it and before it. */
function multiscripts(pieces: readonly Piece[]): Piece {
  const at = pieces.findIndex(({ text }) => text === PRESCRIPTS)
  const marksOf = (marks: readonly Piece[]) => {
    const written = marks.map(({ text }, i) => (text === '' ? '' : i % 2 === 0 ? subscript(text) : raised(text)))
    return {
      lowered: written.filter((_, i) => i % 2 === 0).join(''),
      raised: written.filter((_, i) => i % 2 === 1).join(''),
    }
  }
  const after = marksOf(at < 0 ? pieces.slice(1) : pieces.slice(1, at))
  const before = marksOf(at < 0 ? [] : pieces.slice(at + 1))
  const { text, ...piece } = script(pieces[0]!, after.lowered + after.raised, after.raised !== '')
  const marks = before.raised + before.lowered
  return { ...piece, text: marks + text, beginsWithMarks: marks !== '' }
}

function raised(text: string): string {
  if (/^[′″‴*†°]+$/.test(text)) return text
  return text === "'" ? '′' : exponent(text)
}

/** Returns a part of a fraction or root, in parentheses if it has operators. */
function operand(piece: Piece | undefined): string {
  if (piece === undefined) return ''
  return piece.isAtom ? piece.text : `(${piece.text})`
}

/** Joins the cells of a row: by a space before a sign such as `=`, because equations are aligned at it, otherwise by a comma. */
function cells(pieces: readonly Piece[]): string {
  let text = ''
  for (const { text: cell } of pieces) {
    if (cell === '') continue
    text += text === '' ? '' : /^[=<>≤≥≈≡+−-]/.test(cell) ? ' ' : ', '
    text += cell
  }
  return text
}

/** Joins the parts of a row: with spaces around operators and between words and numbers, else without. */
function row(pieces: readonly Piece[]): Piece {
  if (pieces.length === 1) return pieces[0]!
  let text = ''
  let wasOperand = false
  let wasOpen = false
  let pending = ''
  for (const piece of pieces) {
    if (piece.text === '') continue
    if (piece.text === ' ' || piece.text === INVISIBLE_TIMES) {
      pending = piece.text
      continue
    }
    if (piece.isOperator) {
      // After an operand, the operator joins two operands. Else it is a sign.
      if (/^[,;]$/.test(piece.text)) text = `${text}${piece.text} `
      else if (/^[!%′°.:…]$/.test(piece.text) || /^[∑∏∫∮⋃⋂∇∂√¬∀∃]/.test(piece.text)) text += piece.text
      else text += wasOperand ? ` ${piece.text} ` : piece.text
      wasOperand = /^[!%′°…]$/.test(piece.text)
      wasOpen = false
    } else {
      const needsSpace = wasOperand && (pending === ' ' || piece.beginsWithMarks === true || areWords(text, piece.text))
      const isFactor = /^[\p{L}\p{N}([{√∛∜]/u.test(piece.text)
      const isProduct =
        isFactor &&
        wasOperand &&
        (wasOpen ||
          (piece.text.includes('/') && piece.ends === 'open' && /\p{L}$/u.test(text.slice(-2))) ||
          (pending === INVISIBLE_TIMES && /\p{N}$/u.test(text.slice(-2)) && /^\p{N}/u.test(piece.text)))
      text += isProduct ? `·${piece.text}` : needsSpace ? ` ${piece.text}` : piece.text
      wasOperand = !/[([{⟨⌈⌊]$/.test(piece.text)
      wasOpen = piece.ends === 'open'
    }
    pending = ''
  }
  const isBracketed = pieces.length > 1 && fences.test(pieces[0]!.text) && fences.test(pieces.at(-1)!.text)
  return { text: text.trim(), isAtom: isBracketed || pieces.length === 0, isOperator: false }
}

/** True if two parts would become another number or word without a space: digits, words, and a whole number with a fraction. */
function areWords(before: string, next: string): boolean {
  if (/\p{N}$/u.test(before.slice(-2))) return /^\p{N}/u.test(next)
  return /\p{L}{2}$/u.test(before.slice(-4))
    ? /^[\p{L}\p{N}]/u.test(next)
    : /\p{L}$/u.test(before.slice(-2)) && /^\p{L}{2}/u.test(next)
}
