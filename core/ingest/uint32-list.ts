/** A growing list of 32-bit integers. The list is the first `length` items of `values`. */
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

  /** Returns a view of the integers. The view is valid until more are pushed. */
  list(): Uint32Array {
    return this.values.subarray(0, this.length)
  }
}
