import { describe, expect, it } from 'vitest'
import type { QuoteContradiction } from '../../../core/index.ts'
import { contradictionsIn } from '../../../core/quotes/contradictions.ts'
import { NearestPassages } from '../../../core/quotes/nearest-passage.ts'
import { QuoteWords, TextWords } from '../../../core/quotes/quote-words.ts'

/** Returns what a page contradicts in a quote; undefined if it has the quote, and nothing if it is in other words. */
function contradictions(page: string, quote: string): (QuoteContradiction | undefined)[] | undefined {
  const text = new TextWords(page)
  const words = new QuoteWords(quote)
  if (words.in(text)) return undefined
  const passages = new NearestPassages(text)
  const near = passages.nearest(words)
  return near ? contradictionsIn(near, words, text, passages).filter(kind => kind !== undefined) : []
}

describe('a quote is contradicted by', () => {
  it.each<[QuoteContradiction, string, string]>([
    ['sign', 'The load must be > 10 kg at all times.', 'The load must be < 10 kg at all times.'],
    ['sign', '✅ passed test', '❌ passed test'],
    ['sign', 'Temperature fell to –5 °C.', 'Temperature fell to 5 °C.'],
    ['number', 'The city has 31 schools and a river.', 'The city has 25 schools and a river'],
    ['negation', 'It is not safe to swim here.', 'It is safe to swim here.'],
    ['negation', "You don't need a key for it.", 'You do need a key for it'],
    ['negation', 'Die Anlage ist nicht sicher und alt.', 'Die Anlage ist sicher und alt.'],
    ['negation', 'Das ist keine gute Idee für Anfänger.', 'Das ist eine gute Idee für Anfänger.'],
    ['negation', "Le service n'est pas gratuit pour les enfants.", 'Le service est gratuit pour les enfants.'],
    ['negation', 'El museo no abre los lunes por la tarde.', 'El museo abre los lunes por la tarde.'],
    ['negation', 'Il museo non apre il lunedì mattina.', 'Il museo apre il lunedì mattina.'],
    ['negation', 'O museu não abre às segundas de manhã.', 'O museu abre às segundas de manhã.'],
    ['negation', 'Het museum is niet open op maandag.', 'Het museum is open op maandag.'],
    ['unit', 'It takes 5 minutes to boil the egg.', 'It takes 5 hours to boil the egg.'],
    ['date', 'The bridge was opened on 5 May 1990 by the mayor.', 'The bridge was opened on 5 June 1990 by the mayor.'],
    ['date', 'The meeting is on Monday in the town hall.', 'The meeting is on Tuesday in the town hall.'],
    ['name', 'The prize went to Anna Smith in the end.', 'The prize went to Maria Jones in the end.'],
    ['name', 'Paris is the capital of France.', 'Lyon is the capital of France.'],
    ['name', 'Paris is the capital of France.', 'Paris is the capital of Spain.'],
    ['unit', 'It costs 5% more than before.', 'It costs 5 more than before.'],
    ['unit', 'It costs $5 to enter the park.', 'It costs €5 to enter the park.'],
    ['number', 'It is 1.5 m long here', 'It is 15 m long here'],
    ['number', 'The chair costs 1,299.00 € here.', 'The chair costs 1,200.00 here'],
    ['number', 'We saw four large dogs in the park', 'We saw two large dogs in the park'],
    ['sign', 'We write it in C++ for speed and fun', 'We write it in C# for speed and fun'],
    ['sign', 'She got an A+ in the exam', 'She got an A in the exam'],
    ['sign', 'if (a && b) return false here', 'if (a || b) return false here'],
    ['number', 'Published on 2024-05-10 by the office', 'Published on 2024-05-11 by the office'],
    ['number', 'The value is 10⁶ units in total', 'The value is 10⁵ units in total'],
    ['number', 'Take ½ cup of sugar and stir', 'Take ¼ cup of sugar and stir'],
    ['sign', 'Support: 🟢 for the new api', 'Support: 🔴 for the new api'],
    ['sign', 'The set {x : x ≠ 5} is open here', 'The set {x : x = 5} is open here'],
    ['unit', 'Open 7 am to noon on most days', 'Open 7 pm to noon on most days'],
    ['negation', 'Docker is unsafe for the many users', 'Docker is safe for the many users'],
    ['sign', 'All 5 + 3 apples are red', 'All 5 × 3 apples are red'],
    ['name', 'Der Chef ist Angela Merkel aus der Stadt', 'Der Chef ist Angela Kohl aus der Stadt'],
    ['number', '東京の人口は31人です', '東京の人口は25人です'],
    ['negation', '我不喜欢这个城市的天气', '我喜欢这个城市的天气'],
    ['number', 'There are twenty-one dogs in the house', 'There are twenty-two dogs in the house'],
    ['number', 'Use Kernel 3.100 in all the houses', 'Use Kernel 3.1 in all the houses'],
    ['sign', 'The value x ≈ 3 holds in wooden houses', 'The value x = 3 holds in wooden houses'],
    ['number', 'Tickets cost four crowns.', 'Tickets cost two crowns'],
    ['number', 'It costs 25 crowns.', 'it costs 20 crowns'],
    ['number', 'closes idle connections after 30 s', 'closes idle connections after 10 s'],
    ['number', 'The engine made 1.2 million euros in 2020', 'The engine made 1.2 billion euros in 2020'],
    ['unit', 'The generator delivers 5 mW at full load.', 'The generator delivers 5 MW at full load.'],
    ['unit', 'The link carries 10 GB in each second.', 'The link carries 10 Gb in each second.'],
    ['unit', 'The link carries 10GB in each second.', 'The link carries 10Gb in each second.'],
    ['unit', 'The file has 20 mb on the disk.', 'The file has 20 MB on the disk.'],
    ['unit', 'The dose is 5 mg/kg for an adult.', 'The dose is 5 mg/g for an adult.'],
    ['unit', 'The dose is 5 µg for an adult.', 'The dose is 5 mg for an adult.'],
    ['unit', 'The comet flies at 70 km/h near the sun.', 'The comet flies at 70 km/s near the sun.'],
    ['unit', 'It falls with 10 m/s² near the sun.', 'It falls with 10 m/s near the sun.'],
    ['unit', 'The lamp has 60 mV in the kitchen.', 'The lamp has 60 kV in the kitchen.'],
    ['unit', 'The arc of 30′ is shown above.', 'The arc of 30″ is shown above.'],
    ['unit', 'The screen is 27" wide on the wall.', "The screen is 27' wide on the wall."],
    ['unit', 'The page has 5x more readers now.', 'The page has 5 more readers now.'],
    ['number', 'The tolerance is 1e-5 for the whole run.', 'The tolerance is 1e5 for the whole run.'],
    ['number', 'Mix the two parts 3:1 with water.', 'Mix the two parts 1:3 with water.'],
    ['number', 'The fix is in v1.2 of the package.', 'The fix is in v12 of the package.'],
    ['number', 'The substance H2O helps the people.', 'The substance H2O2 helps the people.'],
    ['sign', 'Our code is in C++17 for speed.', 'Our code is in C17 for speed.'],
    ['sign', 'The result of 5 − 3 is shown above.', 'The result of 5 3 is shown above.'],
    ['sign', 'The result of x − 1 is shown above.', 'The result of x 1 is shown above.'],
    ['sign', 'The result of x - 1 is shown above.', 'The result of x + 1 is shown above.'],
    ['sign', 'The result of x*y is shown above.', 'The result of x/y is shown above.'],
    ['sign', 'The result of cost + tax is shown above.', 'The result of cost − tax is shown above.'],
    ['sign', '[x] Water the plants in the morning', '[ ] Water the plants in the morning'],
    ['sign', 'The function reads *ptr from memory here', 'The function reads &ptr from memory here'],
    ['sign', '*ptr is the address of the value', '&ptr is the address of the value'],
    ['sign', 'It calls scan(&n) for a number', 'It calls scan(n) for a number'],
    ['sign', 'The line int *p; declares it first', 'The line int p; declares it first'],
    ['sign', 'The value of f(-x) is the same here', 'The value of f(x) is the same here'],
    ['sign', 'If (!ready) then it must wait here', 'If (ready) then it must wait here'],
    ['sign', 'There are n! ways to do the work', 'There are n ways to do the work'],
    ['sign', 'There are (n − 1) ways to do the work', 'There are (n − 1)! ways to do the work'],
    ['sign', 'So 5! = 120 is the result here', 'So 5 = 120 is the result here'],
    ['sign', 'The limit goes to -∞ for large values', 'The limit goes to ∞ for large values'],
    ['number', 'The limit goes to ∞ for large values', 'The limit goes to 0 for large values'],
    ['number', 'It needs Python 3.10 or a later one', 'It needs Python 3.1 or a later one'],
    ['number', 'It needs version 3.1 or a later one', 'It needs version 3.10 or a later one'],
  ])('another %s: %s', (kind, page, quote) => {
    expect(contradictions(page, quote)).toEqual([kind])
    expect(contradictions(quote, page)).toEqual([kind])
  })
})

describe('a quote is contradicted by numbers that change places', () => {
  it.each([
    ['Our team won 3-1 in the final match.', 'Our team won 1-3 in the final match.'],
    ['The price fell from 20 to 10 in a week.', 'The price fell from 10 to 20 in a week.'],
  ])('%s', (page, quote) => {
    expect(contradictions(page, quote)).toContain('number')
    expect(contradictions(quote, page)).toContain('number')
  })
})

describe('a quote is not contradicted by', () => {
  it.each<[string, string]>([
    ['The large dog ran over the old bridge.', 'The big dog ran over the old bridge.'],
    ['Residents say the bridge is old.', 'Citizens say the bridge is old.'],
    ['Die Stadt hat viele schöne alte Häuser.', 'Die Gemeinde hat viele schöne alte Häuser.'],
    ['The weight of the bag is 25 kg today.', 'The price of the ticket is 30 dollars.'],
    ['It costs 5 dollars to enter the park.', 'It costs $5 to enter the park.'],
    ['It costs 5 percent more than before.', 'It costs 5% more than before.'],
    ['It is 3.0 m long here', 'It is 3 m long here'],
    ['It costs 3.10 euros in the shop', 'It costs 3.1 euros in the shop'],
    ['The total of 3.10 is paid in the shop', 'The total of 3.1 is paid in the shop'],
    ['It is 1,5 m long here', 'It is 1.5 m long here'],
    ['We saw 2 large dogs in the park', 'We saw two large dogs in the park'],
    ['Published on 2024-05-10 by the office', 'Published on 10 May 2024 by the office'],
    ['Call 555-123-4567 for help in English', 'Call 555 1234567 for help in English'],
    ['The ferry now leaves at noon each day', 'The ferry leaves at noon each day'],
    ['Great 🎉 news for all of us', 'Great news for all of us'],
    ['The company employs 60 minutes of time', 'The firm employs 1 hour of time'],
    ['The plan was not good in the end', 'The plan was bad in the end'],
    ['In 2019 about 400 people came to the fair', 'About 400 people came to the fair in 2019'],
    ['The engine made 5 million euros in Spring', 'The engine made 5,000,000 euros in Spring'],
    ['The train leaves at 5.30 pm from here.', 'The train leaves at 5:30 pm from here.'],
    ['The train leaves at 17:30 from here.', 'The train leaves at 5:30 pm from here.'],
    ['Der Zug fährt um 17.30 Uhr von hier.', 'Der Zug fährt um 17:30 Uhr von hier.'],
    ['Call 555-123-4567 for help in English', 'Call 555 123 4567 for help in English'],
    ['The result of 5 * 3 is shown above.', 'The result of 5 × 3 is shown above.'],
    ['There are twenty-one dogs in the house', 'There are 21 dogs in the house'],
    ['In Luhansk 12000 regions were counted.', 'In Luhansk 12.000 regions were counted.'],
    ['It runs with Java 3.0 in all of the houses.', 'It runs with Java 3 in all of the houses.'],
    ['It runs with Java 3.00 in all of the houses.', 'It runs with Java 3 in all of the houses.'],
    ['It uses 5 KW in the kitchen here.', 'It uses 5 kW in the kitchen here.'],
    ["It isn't good for the old dogs", 'It is not good for the old dogs'],
  ])('other words: %s', (page, quote) => {
    expect(contradictions(page, quote)).toEqual([])
    expect(contradictions(quote, page)).toEqual([])
  })

  it('another number elsewhere on the page', () => {
    const page = 'The weight of the bag is 25 kg. It was 30 years old. The town has 12 schools.'
    for (const quote of [
      'The price of the ticket is 31 dollars',
      'In 2019 the old church had 40 windows',
      'It was a sunny day with 7 clouds',
    ])
      expect(contradictions(page, quote)).toEqual([])
  })

  it('what stands where it leaves words out', () => {
    expect(
      contradictions('The tower is 31 m high, not 5 m, and was opened in May', 'The tower is … opened in May'),
    ).toBeUndefined()
    expect(
      contradictions('The tower is 31 m high, not 5 m, and was opened in May', 'The tall tower is … opened in May'),
    ).toEqual([])
    expect(
      contradictions('The tower is 31 m high, not 5 m, and was opened in May', 'The tower is 30 m … opened in May'),
    ).toEqual(['number'])
  })

  it('names in titles, where all words have capitals', () => {
    expect(contradictions('The Best Laptops For Students This Year', 'The Top Laptops For Students This Year')).toEqual(
      [],
    )
  })
})
