/** Number of rows whose sums the kernel keeps in registers. */
export const TILE_ROWS = 6

/** What the kernel does with the results of a product. */
export const denseModes = { STORE: 0, ADD: 1, GELU: 2 } as const
