import { render } from 'preact'
import { App } from './app.tsx'
import { followLinks } from './frame/location.ts'
import { closePanels } from './frame/panels.ts'
import { applyStoredTheme } from './frame/theme.ts'
import './styles/index.css'

applyStoredTheme()
followLinks()
closePanels()
const root = document.getElementById('console')
if (root) render(<App />, root)
