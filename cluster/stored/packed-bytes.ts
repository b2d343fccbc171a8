/** Byte strings in few parameters of a statement. A parameter for each would take both processes several times as long. */
export interface PackedBytes {
  /** All of them, one after another. */
  bytes: Buffer
  /** Where each begins, from 1 on. */
  starts: number[]
  lengths: number[]
}

export function packed(strings: readonly Uint8Array[]): PackedBytes {
  let end = 1
  const starts = strings.map(({ length }) => {
    end += length
    return end - length
  })
  return { bytes: Buffer.concat(strings), starts, lengths: strings.map(({ length }) => length) }
}
