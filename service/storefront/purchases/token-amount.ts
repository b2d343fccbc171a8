/** Decimals of the token in which plans are paid. USDC has 6 on every chain. */
export const TOKEN_DECIMALS = 6

/** Converts a price in US dollars, such as `4.00`, to the token's smallest unit. */
export function tokenAmount(usd: string): string {
  const [whole = '0', cents = ''] = usd.split('.')
  return String(BigInt(whole + cents.padEnd(TOKEN_DECIMALS, '0')))
}
