/** 64 hexadecimal digits: a private key of most chains, but also a hash. */
const hex = /(?<![A-Za-z0-9])(?:0x)?[0-9a-f]{64}(?![0-9a-z])/i
/** 87 or 88 digits in base 58: a private key of Solana, but also a signature. */
const base58 = /(?<![A-Za-z0-9])[1-9A-HJ-NP-Za-km-z]{87,88}(?![A-Za-z0-9])/

const namesHash =
  /(?<![a-z])(?:tx|txn|txid|txhash|transactions?|hash|hashes|blocks?|commit|sha-?(?:1|3|256|512)|keccak|checksum|digest|merkle|topic|signature|fingerprint|receipt|public[ _-]?key|pubkey|(?:node|peer)[ _-]?id|contract)(?![a-z])|\/tx\//i
const namesKey =
  /(?:private|secret|signing|wallet|my|our|the|this|with|use)[ _-]{1,3}key(?![a-z])|(?<![a-z])(?:key[ \t]*(?:is|:|=)|sign with|seed|mnemonic)/i

/** Sequences of characters that can be keys in base64. A part of an address does not match. */
const run = /(?<![A-Za-z0-9+/_=.:%?&#@-])[A-Za-z0-9+/_-]{40,200}(?![A-Za-z0-9+/_.:-])/g
/** Public texts that look like keys: addresses of chains, and content ids of IPFS. */
const publicName = /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|[1-9A-HJ-NP-Za-km-z]{32,46})$/
/**
 * Minimum share of neighboring characters in a key that differ in kind (small letter, capital, digit). The share is about 0.6
 * in random text, and lower in words.
 */
const RANDOM_CHANGES = 0.4

const kindOf = (char: string): number => (/[a-z]/.test(char) ? 0 : /[A-Z]/.test(char) ? 1 : 2)

function isRandom(text: string): boolean {
  if (publicName.test(text)) return false
  const kinds = [...text.replace(/[^A-Za-z0-9]/g, '')].map(kindOf)
  const changes = kinds.filter((kind, i) => i > 0 && kind !== kinds[i - 1]).length
  return [0, 1, 2].every(kind => kinds.includes(kind)) && changes >= RANDOM_CHANGES * (kinds.length - 1)
}

/**
 * Finds a key in a text that does not call it a key. Returns the kind of the key, or `undefined`. A value that can be a key or
 * a hash counts as a hash if the text mentions hashes, transactions or similar things, and no key.
 */
export function bareKeyKind(text: string): string | undefined {
  const isHash = namesHash.test(text) && !namesKey.test(text)
  if (!isHash && (hex.test(text) || base58.test(text))) return 'a private key'
  for (const [found] of text.matchAll(run)) if (isRandom(found)) return 'a secret key'
  return undefined
}
