import type { CaptureInput, ObservationInput } from '@asof/core'
import { decodeBody } from '@asof/extract/internal'

const bodies = ['html', 'markdown', 'text'] as const

/**
 * Returns an observation whose body is text, so that it can be sent as JSON. Bytes are decoded as `engine.add` decodes them, with the
 * encoding of their BOM, `contentType` or `<meta charset>`.
 */
export function withTextBody(observation: ObservationInput): ObservationInput {
  const capture = observation as CaptureInput
  const kind = bodies.find(name => capture[name] instanceof Uint8Array)
  if (kind === undefined) return observation
  return { ...capture, [kind]: decodeBody(capture[kind] as Uint8Array, capture.contentType) }
}
