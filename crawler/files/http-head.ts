import { HeaderFields, withoutLineEnd } from './header-fields.ts'
import { badRecord } from './imported-record.ts'
import { MAX_HEADER_BYTES, type RecordBlock } from './warc-record.ts'

/** The status line and the headers of an archived HTTP response. */
export interface HttpHead {
  status: number
  fields: HeaderFields
}

/**
 * Reads the head of an HTTP response at the start of a block, with CR LF or LF as line ends, and leaves its body to be read. A line that
 * begins with `<` begins the body, because some software leaves out the empty line.
 *
 * @returns undefined if the block has no status line. It is then a body alone.
 * @throws ASOF_INVALID_CAPTURE - the headers exceed {@link MAX_HEADER_BYTES}.
 */
export async function readHttpHead(block: RecordBlock): Promise<HttpHead | undefined> {
  const first = await block.line(MAX_HEADER_BYTES)
  if (!first) return undefined
  const [, status] =
    /^HTTP(?:\/\d(?:\.\d)?)?[ \t]+(\d{3})(?:\s|$)/i.exec(first.subarray(0, 100).toString('latin1')) ?? []
  if (status === undefined) {
    block.giveBack(first)
    return undefined
  }
  const head = { status: Number(status), fields: new HeaderFields() }
  for (let left = MAX_HEADER_BYTES; ; ) {
    const line = await block.line(left)
    if (!line) return head
    if (line[0] === 0x3c) {
      block.giveBack(line)
      return head
    }
    left -= line.length
    if (left <= 0) throw badRecord(`the HTTP headers of the record exceed ${MAX_HEADER_BYTES} bytes`)
    const text = withoutLineEnd(line)
    if (text === '') return head
    head.fields.readLine(text)
  }
}
