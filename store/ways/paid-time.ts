/** Time to answer a paid request, whose transfer must also be confirmed on the chain, ms. */
export const PAID_ANSWER_TIMEOUT_MS = 180_000
