/** What the kernel reads besides lists: values by ordinal or by posting. */
export type KernelArray = Uint8Array | Uint16Array | Uint32Array

/** An array that the cache keeps for its owner. Only the cache changes it. */
export class KeptArray<A extends KernelArray> {
  array: A | undefined
  /** As `KeptTerm.usedAt`. */
  usedAt = 0
}
