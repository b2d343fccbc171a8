const whole = new Intl.NumberFormat('en')

/** A whole number with separators, such as 1,204. */
export function count(number: number): string {
  return whole.format(number)
}

/** A whole number and what is counted, such as 1 page or 1,204 pages. */
export function plural(number: number, one: string): string {
  return `${count(number)} ${one}${number === 1 ? '' : 's'}`
}

/** A duration such as 4.2 ms or 1.3 s. */
export function duration(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`
  return `${ms >= 100 ? Math.round(ms) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2)} ms`
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** A size such as 4.2 MB. */
export function bytes(size: number): string {
  const power = size < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(size) / 3))
  const value = size / 1_000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

/** A span of time such as 3 d 4 h, 2 h 10 min or 45 s. */
export function span(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** A score or weight with as many digits as a reader can compare. */
export function decimal(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(1) : value.toFixed(value !== 0 && Math.abs(value) < 0.1 ? 4 : 2)
}
