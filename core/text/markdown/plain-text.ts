import { NEWLINE, SPACE, UnitBuffer } from '../characters/unit-buffer.ts'
import { InlineScanner } from './markdown-inline.ts'
import {
  endOfLine,
  fenceLength,
  findLabels,
  followLine,
  isBlankLine,
  type LineContext,
  type MarkdownLine,
  normalLabel,
  readLine,
  skipBlanks,
} from './markdown-lines.ts'

/** The fence that opened the current code block. */
interface Fence {
  mark: string
  length: number
  quoteDepth: number
}

/**
 * Returns the text that a reader of Markdown sees. It has the texts of links, alternative texts of images, and code,
 * but no marks, link targets, tags or escapes. Blocks (paragraphs, headings, items, table rows, lines of code) are
 * separated by one line feed, words by one space. Any text is valid input, and the time is linear.
 */
export function plainText(markdown: string): string {
  // The output has at most one line feed more than the input has units.
  const out = new UnitBuffer(markdown.length + 1)
  const labels = findLabels(markdown)
  const inline = new InlineScanner(markdown, out, labels)
  const context: LineContext = { inParagraph: false, inOrderedList: false, inTable: false }
  let fence: Fence | undefined
  let quoteDepth = 0
  for (let at = 0; at < markdown.length; ) {
    let lineEnd = endOfLine(markdown, at)
    if (fence) {
      const start = skipQuotes(markdown, at, lineEnd, fence.quoteDepth)
      if (closesFence(markdown, start, lineEnd, fence)) fence = undefined
      else {
        out.push(NEWLINE)
        out.pushText(markdown, start, lineEnd)
      }
      at = lineEnd + 1
      continue
    }
    const line = readLine(markdown, at, lineEnd, context)
    const continues =
      line.kind === 'text' &&
      context.inParagraph &&
      !line.opensItem &&
      (line.quoteDepth === quoteDepth || line.quoteDepth === 0)
    if (!continues) inline.endBlock()
    out.push(continues ? SPACE : NEWLINE)
    if (!continues) quoteDepth = line.quoteDepth
    if (line.kind === 'fence') {
      const length = fenceLength(markdown, line.start, lineEnd)
      fence = { mark: markdown.charAt(line.start), length, quoteDepth: line.quoteDepth }
    } else if (line.kind === 'text' || line.kind === 'heading' || line.kind === 'row') {
      if (!continues && isDefinition(markdown, line, labels)) line.kind = 'blank'
      else lineEnd = writeContent(markdown, line, inline)
    }
    followLine(context, line, continues)
    at = lineEnd + 1
  }
  return out.finish()
}

/**
 * Writes the content of a line. A tag or comment may extend over several lines. Returns the end of the last line that
 * was read.
 */
function writeContent(text: string, line: MarkdownLine, inline: InlineScanner): number {
  const cells = line.kind === 'row'
  let { end } = line
  let stop = inline.scan(line.start, end, cells)
  while (stop > end) {
    end = endOfLine(text, stop)
    stop = inline.scan(stop, end, cells)
  }
  return endOfLine(text, end)
}

/** Returns the offset after the quote markers of a line in a quoted code block. */
function skipQuotes(text: string, from: number, end: number, depth: number): number {
  let at = from
  for (let left = depth; left > 0; left--) {
    const mark = skipBlanks(text, at, end)
    if (mark >= end || text[mark] !== '>') break
    at = mark + 1
  }
  return at
}

function closesFence(text: string, from: number, end: number, fence: Fence): boolean {
  const start = skipBlanks(text, from, end)
  if (text[start] !== fence.mark) return false
  const length = fenceLength(text, start, end)
  return length >= fence.length && isBlankLine(text, start + length, end)
}

/** True for a link definition, `[label]: destination`, which a reader does not see. */
function isDefinition(text: string, line: MarkdownLine, labels: ReadonlySet<string>): boolean {
  if (labels.size === 0 || text[line.start] !== '[') return false
  const content = text.slice(line.start, line.end)
  const close = content.indexOf(']:')
  return close >= 0 && labels.has(normalLabel(content.slice(1, close)))
}
