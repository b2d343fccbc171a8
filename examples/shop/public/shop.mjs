// The page of the shop: it reads the choices of the visitor from its address, asks the server, and shows the answer.

const DAY_MS = 86_400_000
const SVG = 'http://www.w3.org/2000/svg'

/** @typedef {Record<string, unknown>} Fields */
/** @typedef {{ url: string, title: string, description: string, highlights: [number, number][], fields: Fields }} Product */
/** @typedef {{ products: Product[], total: number, next?: string, facets: Record<string, { value: string | number | boolean, count: number }[]>, tookMs: number }} Answer */
/** @typedef {{ title: string, prices: { at: number, price: number }[] }} ProductHistory */

/**
 * The element with a selector, which the page has.
 *
 * @template {Element} E
 * @param {string} selector
 * @param {new () => E} type
 */
function element(selector, type) {
  const found = document.querySelector(selector)
  if (!(found instanceof type)) throw new TypeError(`the page lacks ${selector}`)
  return found
}

const day = element('#day', HTMLInputElement)
const dayName = element('#day-name', HTMLElement)
const query = element('[name=q]', HTMLInputElement)
const sort = element('[name=sort]', HTMLSelectElement)
const list = element('#products', HTMLUListElement)
const more = element('#more', HTMLButtonElement)
const dialog = element('#product', HTMLDialogElement)

const valueFields = ['category', 'color', 'material', 'brand']
const euros = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' })
const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const numbers = new Intl.NumberFormat('en')

/** The last day of the history, the number of its days, and the width of a bar of the chart of prices. */
const shop = /** @type {{ today: number, days: number, bucket: number }} */ (await load('/api/shop'))

/** @type {AbortController | undefined} */
let asking
/** @type {string | undefined} */
let next

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 */
async function load(path, signal) {
  const response = await fetch(path, { signal })
  const body = await response.json()
  if (!response.ok) throw new Error(body.message)
  return body
}

function choices() {
  return new URLSearchParams(location.search)
}

/**
 * Changes the choices: the address, and with it what is shown.
 *
 * @param {(changed: URLSearchParams) => void} change
 * @param {{ replaces?: boolean }} [options] replaces: without an entry in the history of the browser, while something is typed or dragged.
 */
function choose(change, { replaces = false } = {}) {
  const changed = choices()
  change(changed)
  const address = `${location.pathname}${changed.size > 0 ? `?${changed}` : ''}`
  if (replaces) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  void show()
}

/** @param {string} name @param {string} value '' for none. */
function setChoice(name, value, options = {}) {
  choose(changed => (value === '' ? changed.delete(name) : changed.set(name, value)), options)
}

/** @param {string} field @param {string} value */
function toggle(field, value) {
  choose(changed => (changed.has(field, value) ? changed.delete(field, value) : changed.append(field, value)))
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {(Element | string)[]} children
 */
function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  made.append(...children)
  return made
}

/**
 * @param {string} tag
 * @param {string} name the class.
 * @param {(Node | string)[]} children
 */
function html(tag, name, ...children) {
  const made = document.createElement(tag)
  if (name !== '') made.className = name
  made.append(...children)
  return made
}

/** @type {Record<string, [string, string]>} */
const paints = {
  black: ['#3a3734', '#d9d4cd'],
  white: ['#f6f3ee', '#c9bfb2'],
  red: ['#b8412f', '#f0d3cb'],
  blue: ['#3b6591', '#d2dfec'],
  green: ['#4f7a52', '#d7e4d3'],
  yellow: ['#d9a32b', '#f5e8c4'],
  natural: ['#b08a5c', '#ece0cf'],
  gray: ['#85817c', '#e3e0dc'],
}

/** A drawing of each category, 80 by 60. @type {Record<string, string>} */
const shapes = {
  Lamps: 'M28 12h24l8 18H20zM38 30h4v18h8v4H30v-4h8z',
  Chairs: 'M27 8h26v22h4v8h-4v16h-5V38H32v16h-5V38h-4v-8h4z',
  Tables: 'M12 22h56v7h-5l3 25h-6l-3-25H23l-3 25h-6l3-25h-5z',
  Shelves: 'M20 8h40v46h-4V48H24v6h-4zM24 12v8h32v-8zM24 24v8h32v-8zM24 36v8h32v-8z',
  Rugs: 'M14 16h52v28H14zM8 16h4v3H8zm0 8h4v3H8zm0 8h4v3H8zm0 9h4v3H8zm60-25h4v3h-4zm0 8h4v3h-4zm0 8h4v3h-4zm0 9h4v3h-4z',
  Clocks: 'M40 8a22 22 0 1 0 .1 0zM38 16h4v13l8 5-2 4-10-6z',
  Mugs: 'M22 16h30v4h6a8 8 0 0 1 0 18h-6v4a6 6 0 0 1-6 6H28a6 6 0 0 1-6-6zm30 9v8h5a4 4 0 0 0 0-8z',
  Vases: 'M33 8h14v8c0 5 9 10 9 21 0 9-5 15-9 17H33c-4-2-9-8-9-17 0-11 9-16 9-21z',
}

/** @param {Fields} fields */
function picture({ category, color }) {
  const [paint, ground] = paints[String(color)] ?? ['#888', '#eee']
  return svg(
    'svg',
    { class: 'picture', viewBox: '0 0 80 60', 'aria-hidden': 'true' },
    svg('rect', { width: 80, height: 60, fill: ground }),
    svg('path', { d: shapes[String(category)] ?? '', fill: paint, 'fill-rule': 'evenodd' }),
  )
}

/** @param {string} text @param {[number, number][]} ranges */
function marked(text, ranges) {
  const parts = []
  let at = 0
  for (const [from, to] of ranges) {
    parts.push(text.slice(at, from), html('mark', '', text.slice(from, to)))
    at = to
  }
  return [...parts, text.slice(at)]
}

/** @param {Product} product */
function card({ url, title, description, highlights, fields }) {
  const { price, was, rating, inStock } = fields
  const offer = html('span', 'offer', html('span', 'price', euros.format(Number(price))))
  if (was !== undefined) offer.append(html('s', 'was', euros.format(Number(was))))
  offer.append(inStock ? html('span', 'rating', `★ ${Number(rating).toFixed(1)}`) : html('span', 'state', 'sold out'))
  const words = html(
    'span',
    'words',
    html('span', 'title', title),
    html('span', 'description', ...marked(description, highlights)),
    offer,
  )
  const button = html('button', '', picture(fields), words)
  button.setAttribute('type', 'button')
  button.addEventListener('click', () => void showProduct(url))
  return html('li', `${was === undefined ? '' : 'reduced'} ${inStock ? '' : 'sold-out'}`, button)
}

/** Shows the values of each field with their numbers, those that are chosen too. @param {Answer['facets']} facets */
function showValues(facets) {
  const chosen = choices()
  const groups = valueFields.map(field => {
    const counts = new Map((facets[field] ?? []).map(({ value, count }) => [String(value), count]))
    const values = [...new Set([...counts.keys(), ...chosen.getAll(field)])].sort()
    const group = html('fieldset', '', html('legend', '', `${field[0]?.toUpperCase()}${field.slice(1)}`))
    group.hidden = values.length === 0
    for (const value of values) {
      const box = document.createElement('input')
      box.type = 'checkbox'
      box.checked = chosen.has(field, value)
      box.dataset.value = `${field}=${value}`
      box.addEventListener('change', () => toggle(field, value))
      const count = counts.get(value) ?? 0
      group.append(html('label', count === 0 ? 'none' : '', box, value, html('span', 'number', numbers.format(count))))
    }
    return group
  })
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.value : undefined
  const place = element('#values', HTMLElement)
  place.replaceChildren(...groups)
  // The boxes are new; the one that was just used keeps the focus.
  if (focused !== undefined) {
    for (const box of place.querySelectorAll('input')) if (box.dataset.value === focused) box.focus()
  }
}

/** Shows how many products have which price. A click chooses a bar. @param {Answer['facets'][string]} counts */
function showPrices(counts) {
  const chosen = choices()
  const [least, most] = [Number(chosen.get('least') ?? 0), Number(chosen.get('most') ?? Number.POSITIVE_INFINITY)]
  const bars = counts.map(({ value, count }) => ({ from: Number(value), count }))
  const end = Math.max(0, ...bars.map(({ from }) => from)) + shop.bucket
  const highest = Math.max(1, ...bars.map(({ count }) => count))
  const chart = svg('svg', {
    viewBox: `0 0 ${end} 100`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': 'Number of products by price',
  })
  for (const { from, count } of bars) {
    // Also a bar of one product among hundreds can be seen.
    const height = 6 + (94 * count) / highest
    const to = from + shop.bucket
    const isIn = to > least && from <= most
    const bar = svg(
      'rect',
      { x: from + 1, y: 100 - height, width: shop.bucket - 2, height, class: isIn ? 'in' : '' },
      svg('title', {}, `${euros.format(from)} to ${euros.format(to)}: ${count}`),
    )
    bar.addEventListener('click', () =>
      choose(changed => {
        changed.set('least', String(from))
        changed.set('most', String(to))
      }),
    )
    chart.append(bar)
  }
  const place = element('#price-chart', HTMLElement)
  place.hidden = bars.length === 0
  place.replaceChildren(chart)
}

/** Shows the choices as buttons that take them back. */
function showChosen() {
  const chosen = choices()
  const place = element('#chosen', HTMLElement)
  place.replaceChildren()
  /** @param {string} label @param {(changed: URLSearchParams) => void} remove */
  const add = (label, remove) => {
    const button = html('button', '', label)
    button.setAttribute('type', 'button')
    button.addEventListener('click', () => choose(remove))
    place.append(button)
  }
  for (const field of valueFields)
    for (const value of chosen.getAll(field)) add(value, changed => changed.delete(field, value))
  if (chosen.has('least') || chosen.has('most'))
    add(
      `${euros.format(Number(chosen.get('least') ?? 0))} – ${chosen.has('most') ? euros.format(Number(chosen.get('most'))) : '…'}`,
      changed => {
        changed.delete('least')
        changed.delete('most')
      },
    )
  if (chosen.has('stock')) add('in stock', changed => changed.delete('stock'))
  if (chosen.has('reduced')) add('reduced', changed => changed.delete('reduced'))
}

function chosenDay() {
  const text = choices().get('day')
  return text ? Date.parse(text) : shop.today
}

/** Brings all controls in line with the address. */
function showControls() {
  const chosen = choices()
  if (document.activeElement !== query) query.value = chosen.get('q') ?? ''
  sort.value = chosen.get('sort') ?? 'score'
  for (const name of ['least', 'most']) {
    const input = element(`[name=${name}]`, HTMLInputElement)
    if (document.activeElement !== input) input.value = chosen.get(name) ?? ''
  }
  for (const name of ['stock', 'reduced']) element(`[name=${name}]`, HTMLInputElement).checked = chosen.has(name)
  const at = chosenDay()
  day.max = String(shop.days - 1)
  day.value = String(shop.days - 1 - (shop.today - at) / DAY_MS)
  dayName.textContent = dates.format(at)
  day.setAttribute('aria-valuetext', dates.format(at))
  document.body.classList.toggle('past', at < shop.today)
  showChosen()
}

/** Asks the server, and shows its answer. An answer that comes after a newer question is not shown. */
async function show() {
  showControls()
  asking?.abort()
  asking = new AbortController()
  const { signal } = asking
  try {
    const answer = /** @type {Answer} */ (await load(`/api/search?${choices()}`, signal))
    const { products, total, facets, tookMs } = answer
    next = answer.next
    list.replaceChildren(...products.map(card))
    showValues(facets)
    showPrices(facets[`price:${shop.bucket}`] ?? [])
    const count = element('#count', HTMLElement)
    count.replaceChildren(
      html('b', '', numbers.format(total)),
      ` product${total === 1 ? '' : 's'} in ${tookMs.toFixed(0)} ms`,
    )
    element('#empty', HTMLElement).hidden = total > 0
    element('#hint', HTMLElement).textContent =
      `The shop of ${dates.format(chosenDay())} has nothing that fits all of this.`
    more.hidden = next === undefined
  } catch (error) {
    if (signal.aborted) return
    list.replaceChildren()
    more.hidden = true
    element('#count', HTMLElement).textContent = error instanceof Error ? error.message : String(error)
  }
}

async function showMore() {
  const parameters = choices()
  if (next === undefined) return
  parameters.set('cursor', next)
  const answer = /** @type {Answer} */ (await load(`/api/search?${parameters}`, asking?.signal))
  const first = answer.products[0] && list.children.length
  list.append(...answer.products.map(card))
  next = answer.next
  more.hidden = next === undefined
  // The keyboard continues at the first product that is new.
  if (first !== undefined) list.children[first]?.querySelector('button')?.focus()
}

/** Shows the prices of a product over the year. @param {string} url */
async function showProduct(url) {
  const { title, prices } = /** @type {ProductHistory} */ (await load(`/api/prices?${new URLSearchParams({ url })}`))
  const at = chosenDay()
  const then = prices.findLast(price => price.at < at + DAY_MS)
  element('#product-title', HTMLElement).textContent = title
  element('#product-price', HTMLElement).textContent =
    then === undefined ? '' : `${euros.format(then.price)} on ${dates.format(at)}`
  const [width, height, foot] = [480, 176, 24]
  const start = shop.today - (shop.days - 1) * DAY_MS
  const all = prices.map(({ price }) => price)
  const [low, high] = [Math.min(...all), Math.max(...all)]
  /** @param {number} moment */
  const x = moment => (width * (moment - start)) / (shop.today - start)
  /** @param {number} price */
  const y = price => 24 + ((height - foot - 40) * (high - price)) / Math.max(1, high - low)
  const steps = prices.map(
    ({ at, price }, i) => `${i === 0 ? 'M' : 'H'}${x(at)}${i === 0 ? ` ${y(price)}` : `V${y(price)}`}`,
  )
  element('#product-chart', HTMLElement).replaceChildren(
    svg(
      'svg',
      {
        viewBox: `0 0 ${width} ${height}`,
        role: 'img',
        'aria-label': `Price from ${euros.format(low)} to ${euros.format(high)}`,
      },
      svg('line', { x1: x(at), x2: x(at), y1: 0, y2: height - foot }),
      svg('path', { d: `${steps.join('')}H${width}` }),
      svg('text', { x: 0, y: 12 }, euros.format(high)),
      svg('text', { x: 0, y: height - foot - 2 }, high === low ? '' : euros.format(low)),
      svg('text', { x: 0, y: height - 4 }, dates.format(start)),
      svg('text', { x: width, y: height - 4, 'text-anchor': 'end' }, dates.format(shop.today)),
    ),
  )
  dialog.showModal()
}

/** @param {string} value number of the day. */
function chooseDay(value, options = {}) {
  const at = shop.today - (shop.days - 1 - Number(value)) * DAY_MS
  setChoice('day', at === shop.today ? '' : new Date(at).toISOString().slice(0, 10), options)
}

query.addEventListener('input', () => setChoice('q', query.value, { replaces: true }))
element('.search', HTMLFormElement).addEventListener('submit', event => event.preventDefault())
day.addEventListener('input', () => chooseDay(day.value, { replaces: true }))
element('#today', HTMLButtonElement).addEventListener('click', () => setChoice('day', ''))
sort.addEventListener('change', () => setChoice('sort', sort.value === 'score' ? '' : sort.value))
for (const name of ['least', 'most']) {
  const input = element(`[name=${name}]`, HTMLInputElement)
  input.addEventListener('input', () => setChoice(name, input.value, { replaces: true }))
}
for (const name of ['stock', 'reduced']) {
  const box = element(`[name=${name}]`, HTMLInputElement)
  box.addEventListener('change', () => setChoice(name, box.checked ? '1' : ''))
}
element('#clear', HTMLButtonElement).addEventListener('click', () =>
  choose(changed => {
    const kept = changed.get('day')
    for (const name of [...changed.keys()]) changed.delete(name)
    if (kept !== null) changed.set('day', kept)
  }),
)
more.addEventListener('click', () => void showMore())
element('.close', HTMLButtonElement).addEventListener('click', () => dialog.close())
dialog.addEventListener('click', event => {
  if (event.target === dialog) dialog.close()
})
window.addEventListener('popstate', () => void show())
// On a narrow screen the filters are opened by the visitor.
if (matchMedia('(max-width: 45rem)').matches) element('.filters', HTMLDetailsElement).open = false
await show()
