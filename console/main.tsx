import { render } from 'preact'
import { App } from './app.tsx'
import { followLinks } from './frame/location.ts'
import { applyStoredTheme } from './frame/theme.ts'
import './styles/index.css'

applyStoredTheme()
followLinks()
const root = document.getElementById('console')
if (root) render(<App />, root)
