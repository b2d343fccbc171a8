export { openWalletProof } from './open-wallet-proof.ts'
export { UsedProofs } from './used-proofs.ts'
export type { ProofTerms, WalletProof, WalletProofParts } from './wallet-proof.ts'
