import { readFileSync } from 'node:fs'
import { count } from '../../apparatus/text-table.ts'
import { growthCharts, type ReportChart, sizeCharts } from './report-charts.ts'
import { corpusLine, growthTable, htmlInTable, type ReportTable, settingsOf, tablesOf } from './report-tables.ts'
import type { SpeedReport } from './speed-report.ts'

const style = `
:root { color-scheme: light dark; --ground: #fff; --text: #1c2430; --quiet: #5b6675; --line: #dde2e8; --panel: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #12161c; --text: #e3e8ee; --quiet: #97a3b2; --line: #2b333d; --panel: #1a2028; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 76rem; background: var(--ground); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .25rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .25rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 2rem 0 .25rem; }
p, li, dd, dt { color: var(--quiet); margin: .15rem 0; }
code { font: .85em ui-monospace, monospace; background: var(--panel); padding: .15em .4em; border-radius: 4px; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; font-size: .87rem; }
dt { font-weight: 600; color: var(--text); }
ul { padding-left: 1.1rem; font-size: .87rem; columns: 24rem 2; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem; margin: 1.25rem 0; }
figure { margin: 0; padding: .9rem 1rem 1rem; background: var(--panel); border-radius: 10px; min-width: 0; }
figure.wide { grid-column: 1 / -1; }
figcaption { font-weight: 600; font-size: .9rem; margin-bottom: .5rem; }
.canvas { position: relative; height: 17rem; }
.wide .canvas { height: 20rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .84rem; font-variant-numeric: tabular-nums; min-width: 100%; margin-top: .5rem; }
th, td { padding: .3rem .7rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { color: var(--quiet); font-weight: 600; }
.word { text-align: left; }
tr.asof td { font-weight: 600; }
tr.group td { border-top: 2px solid var(--line); }
`

/** Script of the page. Draws every chart in the colors of the page, and draws it again if the color scheme changes. */
const script = `
const charts = JSON.parse(document.getElementById('charts').textContent)
let drawn = []
function draw() {
  for (const chart of drawn) chart.destroy()
  const page = getComputedStyle(document.documentElement)
  Chart.defaults.color = page.getPropertyValue('--quiet')
  Chart.defaults.borderColor = page.getPropertyValue('--line')
  Chart.defaults.font.family = 'system-ui, sans-serif'
  Chart.defaults.animation = false
  Chart.defaults.maintainAspectRatio = false
  Chart.defaults.plugins.legend.labels.boxWidth = 12
  drawn = charts.map((config, number) => new Chart(document.getElementById('chart-' + number), config))
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
draw()
`

/** Returns the report as one HTML page. It contains Chart.js, so it needs no network. */
export function reportPage(report: SpeedReport): string {
  const configs: ReportChart['config'][] = []
  const figure = ({ title, config, wide }: ReportChart) => {
    const number = configs.push(config) - 1
    return `<figure${wide ? ' class="wide"' : ''}><figcaption>${escaped(title)}</figcaption><div class="canvas"><canvas id="chart-${number}" role="img" aria-label="${escaped(title)}"></canvas></div></figure>`
  }
  const figures = (charts: ReportChart[]) =>
    charts.length === 0 ? '' : `<div class="charts">${charts.map(figure).join('\n')}</div>`
  const sections = report.sizes.map(size => {
    const [glance, ...tables] = tablesOf(size).map(tableOf)
    return `<h2>${count(size.corpus.pages)} pages</h2>
<p>${escaped(corpusLine(size))}</p>
${glance}
${figures(sizeCharts(size))}
${tables.join('\n')}`
  })
  const growth = growthTable(report)
  if (growth.rows.length > 0) sections.push(`<h2>Growth</h2>${figures(growthCharts(report))}${tableOf(growth)}`)
  if (report.html) sections.push(`<h2>HTML</h2>${tableOf(htmlInTable(report.html))}`)
  const library = readFileSync(new URL('../../node_modules/chart.js/dist/chart.umd.min.js', import.meta.url), 'utf8')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>asof beside other engines</title>
<style>${style}</style>
<h1>asof beside other engines</h1>
<p><code>${escaped(report.command)}</code></p>
<dl>${settingsOf(report)
    .map(([name, text]) => `<dt>${escaped(name)}</dt><dd>${escaped(text)}</dd>`)
    .join('')}</dl>
${sections.join('\n')}
<script type="application/json" id="charts">${JSON.stringify(configs).replaceAll('<', '\\u003c')}</script>
<script>${library.replace(/\n\/\/# sourceMappingURL=.*/, '')}</script>
<script>${script}</script>
</html>
`
}

function tableOf({ title, notes, heads, rows }: ReportTable): string {
  const words = heads.map((_, column) => rows.some(row => /^[a-z]/.test(row[column] ?? '')))
  const cell = (tag: 'th' | 'td') => (text: string, column: number) =>
    `<${tag}${words[column] ? ' class="word"' : ''}>${escaped(text)}</${tag}>`
  const body = rows.map(row => {
    // An empty first cell continues the group of the row above.
    const classes = [row.includes('asof') && 'asof', rows.some(other => other[0] === '') && row[0] !== '' && 'group']
    return `<tr class="${classes.filter(Boolean).join(' ')}">${row.map(cell('td')).join('')}</tr>`
  })
  const list = notes.length > 2 ? `<ul>${notes.map(note => `<li>${escaped(note)}</li>`).join('')}</ul>` : undefined
  return `<h3>${escaped(title)}</h3>
${list ?? notes.map(note => `<p>${escaped(note)}</p>`).join('')}
<div class="scroll"><table><thead><tr>${heads.map(cell('th')).join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, character => entities[character]!)
