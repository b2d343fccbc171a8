import { refusedMessage } from './protocol-error.ts'

/** The code for headers that disagree with the body (revision 2026-07-28, HeaderMismatch). */
const HEADER_MISMATCH = -32_020

interface Initialize {
  method: 'initialize'
  id?: unknown
  params?: { protocolVersion?: unknown; _meta?: object }
}

function isInitialize(message: unknown): message is Initialize {
  return typeof message === 'object' && message !== null && 'method' in message && message.method === 'initialize'
}

/**
 * Returns the refusal of an `initialize` whose headers name another revision or method than its body; `undefined` for any other
 * message. Which one is meant would be a guess, and a server behind this one might guess otherwise. Headers that are missing do not
 * disagree, because the revisions of 2025 require them only after the handshake.
 */
export function disagreement(message: unknown, headers: Headers): Response | undefined {
  // With an envelope the message is of revision 2026-07-28, whose headers the SDK checks.
  if (!isInitialize(message) || message.params?._meta !== undefined) return undefined
  const pairs = [
    ['MCP-Protocol-Version', message.params?.protocolVersion],
    ['Mcp-Method', message.method],
  ] as const
  const wrong = pairs.find(([name, value]) => {
    const header = headers.get(name)
    return header !== null && value !== undefined && header.trim() !== value
  })
  if (!wrong) return undefined
  const text = `The header ${wrong[0]} disagrees with the body of the initialize request: send the same value, or no header.`
  return refusedMessage(message, { status: 400, code: HEADER_MISMATCH, text })
}
