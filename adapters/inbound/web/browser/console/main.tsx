/** Entry of the console: reads who is signed in, then draws the pages. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { App, preloadPage } from './app.tsx'

const root = document.getElementById('console')
if (root === null) throw new Error('the document has no place for the console')
preloadPage(location.pathname)
createRoot(root).render(
  <QueryClientProvider client={new QueryClient()}>
    <App organization={root.dataset['organization'] ?? ''} />
  </QueryClientProvider>,
)
