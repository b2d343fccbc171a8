/** Returns a date as asof writes it, such as `2025-01-31`, for one as `1/31/2025`. Returns undefined for any other text. */
export function slashDate(text: string): string | undefined {
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? []
  return month && day && year ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : undefined
}
