/** Many byte strings in two parameters of a statement. One parameter for each would take client and server several times as long. */
export interface PackedBytes {
  /** All byte strings, one after another. */
  bytes: Buffer
  /** The position of the first byte of each string, counted from 1. */
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
