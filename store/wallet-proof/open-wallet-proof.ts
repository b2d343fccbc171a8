import { loadOptional, type OptionalPackages } from '@asof/extract/errors'
import type { WalletProof, WalletProofParts } from './wallet-proof.ts'

export const proofPackages: OptionalPackages = { feature: 'Quotes for wallets', install: ['mppx@0.11', 'viem@2.57.1'] }

/**
 * Prepares the check of wallet proofs.
 *
 * @throws ASOF_PACKAGE_MISSING - mppx or viem is not installed.
 */
export async function openWalletProof(parts: WalletProofParts): Promise<WalletProof> {
  await loadOptional(proofPackages, () => import('mppx/server'))
  const { WalletProof } = await import('./wallet-proof.ts')
  return new WalletProof(parts)
}
