export { openWalletProof } from './open-wallet-proof.ts'
export { ProofClaims } from './proof-claims.ts'
export type { ProofAnswer, ProofCall, ProofTerms, WalletProof, WalletProofParts } from './wallet-proof.ts'
