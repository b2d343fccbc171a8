/** 64 hexadecimal digits: a private key of most chains, but also a hash. */
const hex = /(?<![A-Za-z0-9])(?:0x)?[0-9a-f]{64}(?![0-9a-z])/i
/** 87 or 88 digits in base 58: a private key of Solana, but also a signature. */
const base58 = /(?<![A-Za-z0-9])[1-9A-HJ-NP-Za-km-z]{87,88}(?![A-Za-z0-9])/

const namesHash =
  /(?<![a-z])(?:tx|txn|txid|txhash|transactions?|hash|hashes|blocks?|commit|sha-?(?:1|3|256|512)|keccak|checksum|digest|merkle|topic|signature|fingerprint|receipt|public[ _-]?key|pubkey|(?:node|peer)[ _-]?id|contract)(?![a-z])|\/tx\//i
const namesKey =
  /(?:private|secret|signing|wallet|my|our|the|this|with|use)[ _-]{1,3}key(?![a-z])|(?<![a-z])(?:key[ \t]*(?:is|:|=)|sign with|seed|mnemonic)/i

/** Runs that can be keys in base 64, outside of addresses. */
const run = /(?<![A-Za-z0-9+/_=.:%?&#@-])[A-Za-z0-9+/_-]{40,200}(?![A-Za-z0-9+/_.:-])/g
/** Addresses of chains and names of contents, which are public. */
const publicName = /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|[1-9A-HJ-NP-Za-km-z]{32,46})$/
/** Share of neighbors that are of different kinds (small letter, capital, digit). Words have less, random text 0.6. */
const RANDOM_CHANGES = 0.4

const kindOf = (char: string): number => (/[a-z]/.test(char) ? 0 : /[A-Z]/.test(char) ? 1 : 2)

function isRandom(text: string): boolean {
  if (publicName.test(text)) return false
  const kinds = [...text.replace(/[^A-Za-z0-9]/g, '')].map(kindOf)
  const changes = kinds.filter((kind, i) => i > 0 && kind !== kinds[i - 1]).length
  return [0, 1, 2].every(kind => kinds.includes(kind)) && changes >= RANDOM_CHANGES * (kinds.length - 1)
}

/**
 * Returns the kind of a key that stands in a text without a name. What can be a key or a hash is a hash if the text speaks of
 * hashes, transactions or the like, and of no key.
 */
export function bareKeyKind(text: string): string | undefined {
  const isHash = namesHash.test(text) && !namesKey.test(text)
  if (!isHash && (hex.test(text) || base58.test(text))) return 'a private key'
  for (const [found] of text.matchAll(run)) if (isRandom(found)) return 'a secret key'
  return undefined
}
