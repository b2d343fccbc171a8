/** The weights of a product: a matrix whose columns of integers have a scale each. */
export interface Matrix {
  /** Writes the integers of an output, −127…127, and returns their scale. */
  read(output: number, to: Int8Array): number
}

/** Rows of numbers, such as the vectors of words: bytes with one zero point, and a scale for each row. */
export interface Table {
  readonly zero: number
  /** Writes the bytes of a row, and returns their scale. */
  read(row: number, to: Uint8Array): number
}

/** The tensors of a model file, by their names in PyTorch. Each call checks the shape and that all numbers are finite. */
export interface Tensors {
  has(name: string): boolean
  /** @throws ASOF_MODEL_INVALID - it is missing or has another shape. */
  floats(name: string, shape: readonly number[]): Float32Array
  /** @param name - that of a linear layer, without `.weight`. */
  matrix(name: string, outputs: number, inputs: number): Matrix
  /** @param name - that of an embedding, without `.weight`. */
  table(name: string, rows: number, width: number): Table
}
