/** True for the UTF-16 unit of an ASCII letter. False for NaN, which `charCodeAt` returns outside the text. */
export function isAsciiLetter(unit: number): boolean {
  const small = unit | 32
  return small >= 97 && small <= 122
}

export function isAsciiLetterOrDigit(unit: number): boolean {
  return isAsciiLetter(unit) || (unit >= 48 && unit <= 57)
}
