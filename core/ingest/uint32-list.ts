/** A list of 32-bit integers that grows by doubling: the first `length` of `values`. */
export class Uint32List {
  values = new Uint32Array(1024)
  length = 0

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new Uint32Array(this.values.length * 2)
      grown.set(this.values)
      this.values = grown
    }
    this.values[this.length++] = value
  }

  /** A view of the integers, valid until more are pushed. */
  list(): Uint32Array {
    return this.values.subarray(0, this.length)
  }
}
