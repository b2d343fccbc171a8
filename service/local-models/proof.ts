import { createHash } from 'node:crypto'
import type { CrossEncoder, Encoder } from '@asof/encoder'

/** Embeds the test sentence, and returns the SHA-256 of its vector: with the same files it is the same on every machine. */
export async function proofOf(encoder: Encoder): Promise<string> {
  const { PROOF_TEXT } = await import('@asof/encoder')
  const [vector = new Float32Array()] = await encoder.embed([PROOF_TEXT], { kind: 'query' })
  return createHash('sha256').update(new Uint8Array(vector.slice().buffer)).digest('hex')
}

/** Scores two texts against the test sentence, and returns the SHA-256 of the scores. */
export async function proofOfScores(encoder: CrossEncoder): Promise<string> {
  const { PROOF_TEXT } = await import('@asof/encoder')
  const scores = await encoder.rerank(PROOF_TEXT, [PROOF_TEXT, 'A recipe for bread.'])
  return createHash('sha256')
    .update(new Uint8Array(Float32Array.from(scores).buffer))
    .digest('hex')
}
